import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Files, fileSystem, replaceFiles } from '../files/files.ts';
import { type CommitRecord, publishCommit, readCommit } from './commit-record.ts';

/** A file system without hard links, as FUSE mounts of buckets are. */
const WITHOUT_LINKS: Files = {
  ...fileSystem,
  link: () => Promise.reject(Object.assign(new Error('operation not permitted'), { code: 'EPERM' })),
};

let folder: string;

beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'commits-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function recordOf(epoch: number): CommitRecord {
  const result = { group: 7, rows: 4, failures: [], usage: {}, tools: {} };
  return { machine: `machine-${epoch}`, epoch, files: null, result };
}

describe.each([
  ['hard links', fileSystem],
  ['no hard links', WITHOUT_LINKS],
])('on a file system with %s', (name, system) => {
  test('one of several machines commits a row group', async () => {
    using _ = replaceFiles(system);
    const path = join(folder, `${name}.json`);
    const records = Array.from({ length: 8 }, (_entry, index) => recordOf(index + 1));
    const areFirst = await Promise.all(records.map((record) => publishCommit(path, record)));
    expect(areFirst.filter(Boolean)).toHaveLength(1);
    expect(await readCommit(path)).toEqual(records[areFirst.indexOf(true)]);
    expect(await publishCommit(path, recordOf(9))).toBe(false);
    expect(readdirSync(folder).filter((file) => file.startsWith(`${name}.json`))).toEqual([`${name}.json`]);
  });

  test('a machine that comes after the end of the run commits nothing', async () => {
    using _ = replaceFiles(system);
    expect(await publishCommit(join(folder, 'gone', 'group.json'), recordOf(1))).toBe(false);
  });
});

test(
  'without hard links, the next machine replaces a record that a lost machine has left incomplete',
  { tags: 'long' },
  async () => {
    using _ = replaceFiles(WITHOUT_LINKS);
    const path = join(folder, 'torn.json');
    writeFileSync(path, '{"machine":"machine-1","epo');
    expect(await readCommit(path)).toBeUndefined();
    expect(await publishCommit(path, recordOf(2))).toBe(true);
    expect(await readCommit(path)).toEqual(recordOf(2));
  },
);

test(
  'without hard links, a machine whose record was replaced while it wrote has not committed the row group',
  { tags: 'long' },
  async () => {
    const path = join(folder, 'slow.json');
    const other = `${JSON.stringify(recordOf(2))}\n`;
    using _ = replaceFiles({
      ...WITHOUT_LINKS,
      // The machine was suspended here, and another one took its record for torn.
      sync: async (file) => {
        await fileSystem.sync(file);
        if (readFileSync(path, { encoding: 'utf8', flag: 'a+' }) !== '') writeFileSync(path, other);
      },
    });
    expect(await publishCommit(path, recordOf(1))).toBe(false);
    expect(await readCommit(path)).toEqual(recordOf(2));
  },
);
