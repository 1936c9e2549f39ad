import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { crashAfter } from '../../test/crashing-files.ts';
import { batchPath } from '../../test/data-files.ts';
import { RecordedFiles } from '../../test/recorded-files.ts';
import { type DatasetPaths, datasetPaths } from '../dataset-paths.ts';
import { fileSystem, replaceFiles } from '../files/files.ts';
import { sumFile } from '../files/file-sum.ts';
import { ChecksumLog } from '../logs/checksums.ts';
import { folderJournal } from '../journal/folder-journal.ts';
import { FrameBuffer, type JournalRecord } from '../journal/journal-file.ts';
import { clearKeptOrphans, readPartialGroup, unmarkPartial } from '../logs/partial-groups.ts';
import type { SideTable } from '../side-tables.ts';
import {
  beginAgain,
  type Failed,
  failedForGood,
  finishAgain,
  keepLostAnswers,
  keptFiles,
  lostRowsOf,
  refuseChangedKept,
  uselessCells,
} from './lost-rows.ts';

let paths: DatasetPaths;

beforeEach(() => {
  paths = datasetPaths(mkdtempSync(join(tmpdir(), 'lost-rows-')));
  for (const folder of [paths.journals, paths.parquetFiles, paths.droppedColumns]) mkdirSync(folder);
});

afterEach(() => rmSync(paths.folder, { recursive: true }));

const GROUP = 3;
const ASKED = { resource: 'model/here/small', path: 'chat/completions' } as const;

function entry(row: number, column: string, call = 0): JournalRecord {
  return { row, column, call, request: `${row}-${column}`, status: 200, headers: {}, body: `of ${row}`, ...ASKED };
}

async function journal(path: string, entries: readonly JournalRecord[]): Promise<void> {
  const buffer = new FrameBuffer();
  for (const one of entries) buffer.add(one);
  const { segment } = folderJournal(path).open();
  segment.append(buffer.bytes);
  await segment.close();
}

const read = async (path: string) => (await folderJournal(path).read()).entries;

const failed = (row: number, column: string, more: Partial<Failed> = {}): Failed => ({
  row,
  column,
  code: 'model/gave-up',
  onFailure: 'drop_row',
  ...more,
});

const FAILURES: readonly Failed[] = [
  failed(1, 'score'),
  failed(1, 'mood', { onFailure: 'null' }),
  failed(2, 'score', { code: 'model/timed-out' }),
  failed(4, '', { code: 'processor/failed' }),
  failed(5, 'mood', { onFailure: 'null' }),
];

const ENTRIES = [0, 1, 2, 4, 5].flatMap((row) => [
  entry(row, 'draft'),
  entry(row, 'draft', 1),
  entry(row, 'score'),
  entry(row, 'mood'),
]);

const ofLostRows = ENTRIES.filter(({ row, column }) => [2, 4].includes(row) || (row === 1 && column === 'draft'));

test('lost rows are those that failures dropped, and their useless cells those that failed by their answers', () => {
  expect([...lostRowsOf(FAILURES)]).toEqual([1, 2, 4]);
  expect(uselessCells(FAILURES).map(({ row, column }) => `${row}/${column}`)).toEqual(['1/score', '1/mood']);
});

test('the answers before a refused request are of use, and its cell has failed for good', async () => {
  const failures = [failed(1, 'score', { code: 'model/unprocessable' }), failed(2, 'score')];
  expect(failedForGood([...failures, failed(4, 'score', { code: 'model/timed-out' })])).toEqual(failures);
  await journal(paths.journal(GROUP), ENTRIES);
  await keepLostAnswers(paths, GROUP, failures);
  expect((await read(paths.lostJournal(GROUP))).map(({ row, column, call }) => `${row}/${column}/${call}`)).toEqual([
    '1/draft/0',
    '1/draft/1',
    '1/score/0',
    '1/mood/0',
    '2/draft/0',
    '2/draft/1',
    '2/mood/0',
  ]);
});

test('a commit keeps the useful answers of lost rows alone, and removes the journal', async () => {
  await journal(paths.journal(GROUP), ENTRIES);
  await keepLostAnswers(paths, GROUP, FAILURES);
  expect(await read(paths.lostJournal(GROUP))).toEqual(ofLostRows);
  expect(existsSync(paths.journal(GROUP))).toBe(false);
});

test('answers of an earlier retry are replaced by those of the later one, and none are kept without a lost row', async () => {
  await journal(paths.journal(GROUP), ENTRIES);
  await keepLostAnswers(paths, GROUP, FAILURES);
  await journal(paths.journal(GROUP), [entry(2, 'draft')]);
  await keepLostAnswers(paths, GROUP, [failed(2, 'score')]);
  expect(await read(paths.lostJournal(GROUP))).toEqual([entry(2, 'draft')]);
  await journal(paths.journal(4), ENTRIES);
  await keepLostAnswers(paths, 4, [failed(5, 'mood', { onFailure: 'null' })]);
  await journal(paths.journal(5), [entry(1, 'score')]);
  await keepLostAnswers(paths, 5, [failed(1, 'score')]);
  expect([4, 5].map((group) => existsSync(paths.lostJournal(group)))).toEqual([false, false]);
  expect(readdirSync(paths.journals)).toEqual(['lost']);
});

test('the useful answers are on disk before the journal goes', async () => {
  await journal(paths.journal(GROUP), ENTRIES);
  using recorded = new RecordedFiles(paths.folder);
  await keepLostAnswers(paths, GROUP, FAILURES);
  const steps = [
    'write journal/lost/group_00003/000001.journal',
    'sync journal/lost/group_00003/000001.journal',
    'sync-folder journal/lost/group_00003',
    'sync-folder journal/lost',
    'unlink journal/group_00003/000001.journal',
  ];
  const { lines } = recorded;
  const at = steps.map((step) => lines.lastIndexOf(step));
  expect(at).toEqual(at.toSorted((a, b) => a - b));
  expect(at).not.toContain(-1);
  expect(lines).toContain('sync-folder journal');
});

test('answers of lost rows are kept however often a crash interrupts that', async () => {
  for (let changes = 0, isDone = false; !isDone; changes++) {
    rmSync(paths.journals, { recursive: true });
    mkdirSync(paths.journals);
    await journal(paths.journal(GROUP), ENTRIES);
    isDone = await crashAfter(changes, () => keepLostAnswers(paths, GROUP, FAILURES));
    // A resume repeats it as long as the journal is there.
    if (existsSync(paths.journal(GROUP))) await keepLostAnswers(paths, GROUP, FAILURES);
    expect(await read(paths.lostJournal(GROUP))).toEqual(ofLostRows);
    expect(readdirSync(paths.journals)).toEqual(['lost']);
  }
});

const MARK = {
  cells: {},
  usage: {},
  again: { rows: [31, 33], kept: 8, failures: [], images: [] },
};
const TABLES: readonly SideTable[] = [{ processor: null, fields: [] }];
const CONTENT = ['the rows', 'the dropped columns'] as const;

function files(): readonly string[] {
  return [batchPath(paths, GROUP), batchPath({ parquetFiles: paths.droppedColumns }, GROUP)];
}

async function committed(): Promise<void> {
  for (const [at, path] of files().entries()) {
    writeFileSync(path, CONTENT[at] ?? '');
    const { bytes, outside } = await sumFile(path);
    await new ChecksumLog(paths).add([{ path, sum: { bytes, rows: 8, crc32: outside } }]);
  }
  await journal(paths.journal(GROUP), ENTRIES);
  await keepLostAnswers(paths, GROUP, FAILURES);
}

const begin = async () => {
  const checksums = await new ChecksumLog(paths).read();
  return beginAgain(paths, GROUP, { mark: MARK, tables: TABLES, format: 'parquet', checksums });
};

/** The kept files as texts. */
function kept(): readonly string[] {
  const { rows, sideTables } = keptFiles(paths, GROUP, TABLES);
  return [rows, ...sideTables].map((path) => readFileSync(path, 'utf8'));
}

/** That the group is unfinished, with its files, its mark and the answers of its lost rows. */
async function expectBegun(): Promise<void> {
  expect(kept()).toEqual(CONTENT);
  const sums = CONTENT.map(({ length: bytes }) => expect.objectContaining({ bytes, rows: 8 }) as unknown);
  expect(await readPartialGroup(paths, GROUP)).toMatchObject({ ...MARK, again: { ...MARK.again, sums } });
  expect(await read(paths.journal(GROUP))).toEqual(ofLostRows);
  expect(existsSync(paths.lostJournal(GROUP))).toBe(false);
}

test('a group whose lost rows are made again keeps its files, is marked, and has the answers of its lost rows', async () => {
  await committed();
  const stray = join(paths.keptFiles(GROUP), 'rows.arrow');
  mkdirSync(paths.keptFiles(GROUP), { recursive: true });
  writeFileSync(stray, 'of an earlier attempt');
  await journal(paths.journal(GROUP), [entry(9, 'draft')]);
  using recorded = new RecordedFiles(paths.folder);
  await begin();
  await expectBegun();
  expect(existsSync(stray)).toBe(false);
  expect(existsSync(join(paths.journals, 'lost'))).toBe(false);
  const { lines } = recorded;
  const marked = lines.findIndex((line) => line.endsWith('-> journal/group_00003.partial'));
  expect(lines.indexOf('sync-folder journal/kept/group_00003')).toBeLessThan(marked);
  expect(lines.indexOf('rename journal/lost/group_00003 -> journal/group_00003')).toBeGreaterThan(marked);
  expect(statSync(files()[0] ?? '').nlink).toBe(2);
  await unmarkPartial(paths, GROUP);
  expect(readdirSync(paths.journals)).toEqual(['group_00003']);
  expect(statSync(files()[0] ?? '').nlink).toBe(1);
});

test('a group is begun again as a whole, however often a crash interrupts that', { tags: 'long' }, async () => {
  for (let changes = 0, isDone = false; !isDone; changes++) {
    rmSync(paths.journals, { recursive: true });
    mkdirSync(paths.journals);
    await committed();
    isDone = await crashAfter(changes, begin);
    const isMarked = existsSync(paths.partialMark(GROUP));
    expect(isMarked || (await read(paths.lostJournal(GROUP))).length === ofLostRows.length).toBe(true);
    await (isMarked ? finishAgain(paths, GROUP) : begin());
    await expectBegun();
    await finishAgain(paths, GROUP);
    await expectBegun();
  }
});

test('kept files and folders that a crash has left behind go, and those of a marked group stay', async () => {
  await committed();
  await begin();
  const orphan = paths.keptFiles(7);
  mkdirSync(orphan);
  writeFileSync(join(orphan, 'rows.parquet'), 'of a finished group');
  mkdirSync(paths.lostJournals);
  await clearKeptOrphans(paths);
  await finishAgain(paths, GROUP);
  await expectBegun();
  expect([existsSync(orphan), existsSync(paths.lostJournals)]).toEqual([false, false]);
  await unmarkPartial(paths, GROUP);
  mkdirSync(orphan, { recursive: true });
  await clearKeptOrphans(paths);
  await clearKeptOrphans(paths);
  expect(readdirSync(paths.journals)).toEqual(['group_00003']);
});

function noLinks(): Promise<never> {
  return Promise.reject(Object.assign(new Error('no links here'), { code: 'EPERM' }));
}

test('files are copied where they cannot have a second name', async () => {
  await committed();
  using _ = replaceFiles({ ...fileSystem, link: noLinks });
  await begin();
  await expectBegun();
  expect(statSync(files()[0] ?? '').nlink).toBe(1);
});

test('a kept file that has changed is refused, and one without a checksum is not', async () => {
  await committed();
  await begin();
  const { again } = await readPartialGroup(paths, GROUP);
  const { rows } = keptFiles(paths, GROUP, TABLES);
  await refuseChangedKept(rows, again?.sums?.[0]);
  writeFileSync(rows, 'the r0ws');
  await refuseChangedKept(rows, null);
  await expect(refuseChangedKept(rows, again?.sums?.[0])).rejects.toMatchObject({
    code: 'dataset/damaged',
    message: expect.stringContaining(
      'its content differs from its checksum in checksums.jsonl. Restore the file from a copy',
    ) as string,
  });
  rmSync(rows);
  await expect(refuseChangedKept(rows, again?.sums?.[0])).rejects.toMatchObject({ code: 'dataset/damaged' });
});

test('a mark that cannot be read is refused where the group keeps files: its rows would be made twice', async () => {
  await committed();
  await begin();
  writeFileSync(paths.partialMark(GROUP), '{');
  await expect(readPartialGroup(paths, GROUP)).rejects.toMatchObject({ code: 'dataset/damaged' });
  rmSync(paths.keptFiles(GROUP), { recursive: true });
  expect(await readPartialGroup(paths, GROUP)).toEqual({ cells: {}, usage: {} });
});

test('the format of kept files follows from their names', () => {
  mkdirSync(paths.keptFiles(GROUP), { recursive: true });
  expect(keptFiles(paths, GROUP, TABLES).rows).toMatch(/rows\.parquet$/);
  writeFileSync(join(paths.keptFiles(GROUP), 'rows.arrow'), '');
  const { rows, sideTables } = keptFiles(paths, GROUP, TABLES);
  expect([rows, ...sideTables].map((path) => path.slice(paths.keptFiles(GROUP).length + 1))).toEqual([
    'rows.arrow',
    'side-0.arrow',
  ]);
});
