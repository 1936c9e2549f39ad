import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isFailure } from '@data-designer/core';
import { RecordedFiles } from '../../test/recorded-files.ts';
import { commit, discard, discardUnfinished, PendingFile, stage, TEMPORARY_NAME, writeDurably } from './commit-file.ts';
import { storageFailure } from './storage-failure.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'commit-file-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function failureOf(action: Promise<unknown>): Promise<unknown> {
  return action.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function broken(append: (bytes: Uint8Array) => void): void {
  append(Buffer.from('half'));
  throw new TypeError('does not fit');
}

test('a staged file gets its final name only on commit', async () => {
  const path = join(folder, 'a.json');
  const staged = await stage(path, 'text');
  expect(staged.temporary).toMatch(TEMPORARY_NAME);
  expect(await readdir(folder)).toEqual([staged.temporary.slice(folder.length + 1)]);
  await commit(structuredClone(staged));
  expect(await readdir(folder)).toEqual(['a.json']);
  expect(await readFile(path, 'utf8')).toBe('text');
});

test.skipIf(process.platform === 'win32')('a device or a pipe is refused, also behind a link', async () => {
  const [pipe, link] = [join(folder, 'pipe'), join(folder, 'link')];
  execFileSync('mkfifo', [pipe]);
  await symlink('/dev/null', link);
  for (const path of [pipe, link]) {
    const failure = await failureOf(writeDurably(path, 'text'));
    expect(isFailure(failure, 'dataset/unwritable')).toBe(true);
    expect(String(failure)).toContain('it is a device or a pipe, which a file would replace');
  }
  expect((await readdir(folder)).toSorted()).toEqual(['link', 'pipe']);
  expect((await stat(pipe)).isFIFO()).toBe(true);
});

test('a commit replaces an existing file atomically', async () => {
  const path = join(folder, 'a.json');
  await writeDurably(path, 'first');
  const staged = await stage(path, Buffer.from('second'));
  expect(await readFile(path, 'utf8')).toBe('first');
  await commit(staged);
  expect(await readFile(path, 'utf8')).toBe('second');
});

/** The operations that write a file; its temporary name ends in numbers. */
const stepsOf = (name: string) => {
  const temporary = expect.stringMatching(`^${name}[.]tmp-`);
  return [
    ['open', temporary],
    ['write', temporary],
    ['sync', temporary],
    ['close', temporary],
    ['rename', temporary, '->', name],
    ['sync-folder', ''],
  ];
};

test('a file is written and synced under a temporary name, then renamed, then its folder is synced', async () => {
  using recorded = new RecordedFiles(folder);
  await writeDurably(join(folder, 'a.json'), 'text');
  await writeDurably(join(folder, 'pieces'), (append) => append(Buffer.from('text')));
  expect(recorded.lines.map((line) => line.split(' '))).toEqual([...stepsOf('a.json'), ...stepsOf('pieces')]);
});

test('files are private to the user', async () => {
  const path = join(folder, 'a.json');
  await writeDurably(path, 'text');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('pieces are appended in order, and a piece may be reused', async () => {
  const path = join(folder, 'pieces');
  const piece = new Uint8Array(3);
  await writeDurably(path, (append) => {
    for (const letter of 'abc') append(piece.fill(letter.charCodeAt(0)));
  });
  expect(await readFile(path, 'utf8')).toBe('aaabbbccc');
});

test('many writers of one file leave one complete file and no other', async () => {
  const path = join(folder, 'a.json');
  const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000));
  await Promise.all(texts.map((text) => writeDurably(path, text)));
  expect(texts).toContain(await readFile(path, 'utf8'));
  expect(await readdir(folder)).toEqual(['a.json']);
});

test('discard removes the file', async () => {
  await discard(await stage(join(folder, 'a.json'), 'text'));
  expect(await readdir(folder)).toEqual([]);
});

test('discardUnfinished removes unfinished files and keeps finished ones', async () => {
  // Test files share this module, and may have left unfinished files.
  discardUnfinished();
  using recorded = new RecordedFiles(folder);
  await writeDurably(join(folder, 'a.json'), 'text');
  const finished = recorded.lines.length;
  discardUnfinished();
  expect(recorded.lines).toHaveLength(finished);
  let there: readonly (readonly string[])[] = [];
  const ended = writeDurably(join(folder, 'b.json'), async (append) => {
    append(Buffer.from('half'));
    const before = await readdir(folder);
    discardUnfinished();
    there = [before, await readdir(folder)];
  });
  await expect(ended).rejects.toMatchObject({ code: 'dataset/unwritable' });
  expect(there).toEqual([['a.json', expect.stringMatching(TEMPORARY_NAME)], ['a.json']]);
});

test('discardUnfinished leaves a staged file, which another thread may be committing', async () => {
  const staged = await stage(join(folder, 'a.json'), 'text');
  discardUnfinished();
  await commit(staged);
  expect(await readdir(folder)).toEqual(['a.json']);
});

test('a finished file that is discarded closes no file that has its number since', async () => {
  using recorded = new RecordedFiles(folder);
  const file = await PendingFile.open(join(folder, 'a.json'));
  await file.write('text');
  expect(file.bytes).toBe(4);
  await file.finish();
  await file.discard();
  expect(recorded.lines.filter((line) => line.startsWith('close'))).toHaveLength(1);
  expect(await readdir(folder)).toEqual([]);
});

describe('a failure', () => {
  test('of the file system to read the content is dataset/unwritable, and leaves nothing behind', async () => {
    const content = async (): Promise<void> => void (await readFile(join(folder, 'absent')));
    expect(await failureOf(stage(join(folder, 'a'), content))).toMatchObject({ code: 'dataset/unwritable' });
    expect(await readdir(folder)).toEqual([]);
  });

  test('of the content leaves nothing behind and is rethrown', async () => {
    expect(await failureOf(stage(join(folder, 'a'), broken))).toEqual(new TypeError('does not fit'));
    expect(await readdir(folder)).toEqual([]);
  });

  test('to write below a regular file is dataset/unwritable, with the reason in plain words', async () => {
    await writeFile(join(folder, 'file'), '');
    const path = join(folder, 'file', 'a.json');
    const error = await failureOf(writeDurably(path, 'text'));
    expect(isFailure(error, 'dataset/unwritable') && error.data).toEqual({
      path,
      reason: 'a part of the path is a file, not a folder',
    });
  });

  test('to commit over a folder is dataset/unwritable and leaves no temporary file', async () => {
    const path = join(folder, 'taken');
    await mkdir(path);
    const error = await failureOf(writeDurably(path, 'text'));
    expect(isFailure(error, 'dataset/unwritable') && error.data).toEqual({
      path,
      reason: 'it is a folder, not a file',
    });
    expect(await readdir(folder)).toEqual(['taken']);
  });

  test('for a missing folder gives that reason', async () => {
    const error = await failureOf(writeDurably(join(folder, 'no', 'a.json'), 'text'));
    expect(isFailure(error, 'dataset/unwritable') && error.data.reason).toBe('there is no such folder');
  });

  test.runIf(existsSync('/dev/full'))('of a full device is dataset/disk-full', () => {
    const full = openSync('/dev/full', 'w');
    let thrown: unknown;
    try {
      writeSync(full, 'text');
    } catch (error) {
      thrown = error;
    } finally {
      closeSync(full);
    }
    const error = storageFailure(thrown, '/data/a.parquet');
    expect(isFailure(error, 'dataset/disk-full') && error.data).toEqual({ path: '/data/a.parquet' });
  });

  test.each([
    ['EDQUOT', 'dataset/disk-full'],
    ['EACCES', 'dataset/unwritable'],
    ['EPERM', 'dataset/unwritable'],
    ['EROFS', 'dataset/unwritable'],
    ['EIO', 'dataset/unwritable'],
  ] as const)('%s is %s', (code, expected) => {
    const refused = Object.assign(new Error(`${code}: refused`), { code });
    expect(storageFailure(refused, '/data')).toMatchObject({ code: expected, cause: refused });
  });
});
