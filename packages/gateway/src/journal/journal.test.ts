import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataDesignerError, type WireFailure } from '@data-designer/core';
import { RecordedFiles } from '../../../dataset/test/recorded-files.ts';
import { until } from '@data-designer/testing/until';
import { fileSystem, replaceFiles } from '../../../dataset/src/files/files.ts';
import { folderJournal } from '../../../dataset/src/journal/folder-journal.ts';
import { Journal } from './journal.ts';
import type { JournalRecord } from '../../../dataset/src/journal/journal-file.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  path = join(folder, 'group_00000');
});

afterEach(() => rmSync(folder, { recursive: true }));

function entry(row: number, call: number, body = `answer ${row}.${call}`): JournalRecord {
  const request = `hash-${row}-${call}`;
  const asked = { resource: 'model/here/small', path: 'chat/completions' } as const;
  const headers = { 'content-type': 'application/json' };
  return { row, column: 'answer', call, request, status: 200, headers, body, ...asked };
}

async function written(...entries: JournalRecord[]): Promise<void> {
  const journal = Journal.open(folderJournal(path));
  for (const one of entries) journal.append(one);
  journal.write();
  await journal.close({ keep: true });
}

test('an entry is read back byte for byte after reopening', async () => {
  const long = entry(1, 0, `line\nünïcode ${'x'.repeat(30_000)}`);
  await written(entry(0, 0), long);
  const journal = Journal.open(folderJournal(path));
  expect(journal.entries.answer(long, 'hash-1-0')).toEqual(long);
  expect(journal.entries.has({ row: 0, column: 'answer', call: 0 })).toBe(true);
  expect(journal.entries.has({ row: 0, column: 'other', call: 0 })).toBe(false);
  await journal.close({ keep: true });
});

test('a different request at an address voids that entry and the later ones of its cell, no others', async () => {
  await written(entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1));
  const journal = Journal.open(folderJournal(path));
  expect(journal.entries.answer(entry(0, 1), 'another hash')).toBeUndefined();
  expect(journal.entries.has(entry(0, 0))).toBe(true);
  expect(journal.entries.has(entry(0, 2))).toBe(false);
  expect(journal.entries.has(entry(1, 1))).toBe(true);
  await journal.close({ keep: true });
});

const firstSegment = () => join(path, '000001.journal');

test.each([
  ['half a frame', (bytes: Buffer) => bytes.subarray(0, bytes.length - 5)],
  [
    'a flipped bit',
    (bytes: Buffer) => Buffer.from(bytes.map((byte, index) => (index === bytes.length - 3 ? byte ^ 1 : byte))),
  ],
  ['garbage after it', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('garbage garbage garbage')])],
  ['zeros after it', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(4096)])],
])('a torn tail is skipped: %s', async (name, damage) => {
  await written(entry(0, 0), entry(1, 0));
  writeFileSync(firstSegment(), damage(readFileSync(firstSegment())));
  const journal = Journal.open(folderJournal(path));
  expect(journal.entries.has(entry(0, 0))).toBe(true);
  expect(journal.entries.has(entry(1, 0))).toBe(name.endsWith('after it'));
  journal.append(entry(2, 0));
  await journal.close({ keep: true });
  const again = Journal.open(folderJournal(path));
  expect([again.entries.has(entry(0, 0)), again.entries.has(entry(2, 0))]).toEqual([true, true]);
  await again.close({ keep: true });
});

test.each(['', 'dd', 'ddj', 'not a journal at all'])('a file that begins with %j holds no entries', async (text) => {
  mkdirSync(path);
  writeFileSync(firstSegment(), text);
  const journal = Journal.open(folderJournal(path));
  journal.append(entry(3, 0));
  await journal.close({ keep: true });
  expect((await folderJournal(path).read()).entries).toEqual([entry(3, 0)]);
});

test.each([
  { version: 2, told: 'a version before 1.0.0 wrote it' },
  { version: 3, told: 'its format version is 3' },
])(
  'a journal of version $version is an error that names the version, and stays unchanged',
  async ({ version, told }) => {
    await written(entry(0, 0));
    const bytes = Buffer.concat([Buffer.from(`ddj${version}`), readFileSync(firstSegment()).subarray(4)]);
    writeFileSync(firstSegment(), bytes);
    const failure = {
      code: 'dataset/other-version',
      data: { path: firstSegment(), version, known: 1, isOfDevelopment: version === 2 },
      message: expect.stringContaining(told),
    };
    expect(() => Journal.open(folderJournal(path))).toThrow(expect.objectContaining(failure));
    await expect(folderJournal(path).read()).rejects.toMatchObject(failure);
    expect(readFileSync(firstSegment())).toEqual(bytes);
    expect(readdirSync(path)).toEqual(['000001.journal']);
  },
);

test('each attempt at a group writes its own segment, and reads earlier segments in order of their numbers', async () => {
  await written(entry(0, 0), entry(0, 1));
  const [one, other] = [Journal.open(folderJournal(path)), Journal.open(folderJournal(path))];
  one.append(entry(1, 0));
  other.append({ ...entry(0, 0), request: 'another' });
  await one.close({ keep: true });
  await other.close({ keep: true });
  expect(readdirSync(path)).toEqual(['000001.journal', '000002.journal', '000003.journal']);
  // Later segments win, also if their numbers have more digits.
  renameSync(join(path, '000003.journal'), join(path, '1000000.journal'));
  const journal = Journal.open(folderJournal(path));
  expect(journal.entries.answer(entry(0, 0), 'another')).toMatchObject({ request: 'another' });
  expect(journal.entries.has(entry(0, 1))).toBe(false);
  expect(journal.entries.has(entry(1, 0))).toBe(true);
  journal.append(entry(2, 0));
  await journal.close({ keep: true });
  expect(readdirSync(path)).toContain('1000001.journal');
});

test('an attempt without answers leaves no segment', async () => {
  await Journal.open(folderJournal(path)).close({ keep: true });
  expect(readdirSync(folder)).toEqual([]);
  await written(entry(0, 0));
  await Journal.open(folderJournal(path)).close({ keep: true });
  expect(readdirSync(path)).toEqual(['000001.journal']);
});

const SEGMENT = 'group_00000/000001.journal';

test('an entry is written at once and synced soon; the first sync includes the folders', async () => {
  using recorded = new RecordedFiles(folder);
  const journal = Journal.open(folderJournal(path));
  journal.append(entry(0, 0));
  const begun = ['mkdir group_00000', `open ${SEGMENT}`, `write ${SEGMENT}`];
  expect(recorded.lines).toEqual(begun);
  journal.write();
  const first = [...begun, `write ${SEGMENT}`];
  expect(recorded.lines).toEqual(first);
  await until(() => recorded.lines.includes('sync-folder '));
  const synced = [...first, `sync ${SEGMENT}`, 'sync-folder group_00000', 'sync-folder '];
  expect(recorded.lines).toEqual(synced);
  journal.append(entry(1, 0));
  journal.write();
  await until(() => recorded.lines.length === synced.length + 2);
  expect(recorded.lines).toEqual([...synced, `write ${SEGMENT}`, `sync ${SEGMENT}`]);
  await journal.close({ keep: true });
});

test('a kept journal is synced when it is closed, a failed cell at once', async () => {
  using recorded = new RecordedFiles(folder);
  const journal = Journal.open(folderJournal(path));
  await journal.failCell({ row: 0, column: 'a', failure: new DataDesignerError('journal/ends', {}).toWire() });
  const failed = [`write ${SEGMENT}`, `sync ${SEGMENT}`, 'sync-folder group_00000', 'sync-folder '];
  expect(recorded.lines.slice(3)).toEqual(failed);
  journal.append(entry(1, 0));
  await journal.close({ keep: true });
  expect(recorded.lines.slice(7)).toEqual([`write ${SEGMENT}`, `sync ${SEGMENT}`, `close ${SEGMENT}`]);
});

test('entries that a killed process left unsynced are synced on opening', async () => {
  await written(entry(0, 0));
  using recorded = new RecordedFiles(folder);
  await Journal.open(folderJournal(path)).close({ keep: true });
  expect(recorded.lines.slice(0, 3)).toEqual([`open ${SEGMENT}`, `sync ${SEGMENT}`, `close ${SEGMENT}`]);
});

test('a failed cell is in the file with its failure once `failCell` resolves', async () => {
  const failure = new DataDesignerError('run/worker-lost', { group: 0, rows: 4, losses: 2, reason: 'stopped' });
  const cell = { row: 7, column: 'answer', failure: failure.toWire() };
  const journal = Journal.open(folderJournal(path));
  journal.append(entry(0, 0));
  await journal.failCell(cell);
  expect(await folderJournal(path).read()).toEqual({ entries: [entry(0, 0)], failedCells: [cell] });
  expect(journal.failedCells).toEqual([cell]);
  await journal.close({ keep: true });
  const again = Journal.open(folderJournal(path));
  expect(again.failedCells).toEqual([cell]);
  expect(DataDesignerError.fromWire(again.failedCells[0]?.failure as WireFailure)).toEqual(failure);
  await again.close({ keep: true });
});

test('a successor reads the entries of its lost predecessor', async () => {
  const journal = Journal.open(folderJournal(path));
  journal.append(entry(4, 0));
  expect(journal.entries.has(entry(4, 0))).toBe(false);
  journal.reload();
  expect(journal.entries.has(entry(4, 0))).toBe(true);
  // A call in flight when its worker was lost ends after the successor has opened.
  journal.append(entry(5, 0));
  expect(journal.entries.has(entry(5, 0))).toBe(true);
  await journal.close({ keep: true });
});

test('the journal is private to the user, and is removed when its rows are committed', async () => {
  const journal = Journal.open(folderJournal(path));
  journal.append(entry(0, 0));
  journal.write();
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(firstSegment()).mode & 0o777).toBe(0o600);
  await journal.close({ keep: false });
  expect(existsSync(path)).toBe(false);
});

test('an answer that arrives after the journal was closed is not written', async () => {
  const journal = Journal.open(folderJournal(path));
  journal.append(entry(0, 0));
  journal.write();
  await journal.close({ keep: true });
  using recorded = new RecordedFiles(folder);
  journal.append(entry(1, 0));
  journal.write();
  expect(recorded.lines).toEqual([]);
});

test('an entry keeps the tries of its answer', async () => {
  const tried = { ...entry(0, 0), tries: { requests: 4, refused: 2, possiblyPaid: 1 } };
  await written(tried, entry(1, 0));
  const journal = Journal.open(folderJournal(path));
  expect(journal.entries.answer(tried, tried.request)).toEqual(tried);
  expect(journal.entries.answer(entry(1, 0), 'hash-1-0')).not.toHaveProperty('tries');
  await journal.close({ keep: true });
});

test('a failed write leaves whole entries in the file, and the next write repeats it', async () => {
  const journal = Journal.open(folderJournal(path));
  journal.append(entry(0, 0));
  journal.write();
  journal.append(entry(1, 0));
  let writes = 0;
  {
    using _ = replaceFiles({
      ...fileSystem,
      writeSync(file, bytes) {
        if (writes++ > 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
        return fileSystem.writeSync(file, bytes.subarray(0, 9));
      },
    });
    expect(() => journal.write()).toThrow(expect.objectContaining({ code: 'dataset/disk-full' }));
  }
  expect(writes).toBe(2);
  journal.write();
  await journal.close({ keep: true });
  expect((await folderJournal(path).read()).entries).toEqual([entry(0, 0), entry(1, 0)]);
});
