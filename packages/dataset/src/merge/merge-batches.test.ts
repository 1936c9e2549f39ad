import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ArrowField, CellValue, ColumnData } from '@data-designer/core';
import { readDataset } from '../read-dataset.ts';
import { batchFiles, finishMerges, mergedName, spanOf } from '../formats/batch-files.ts';
import { type DatasetPaths, datasetPaths } from '../dataset-paths.ts';
import { batchOf } from '../encode/row-chunks.ts';
import { BATCH_FORMATS, type BatchFormat, storageOf } from '../formats/formats.ts';
import { ChecksumLog } from '../logs/checksums.ts';
import { checkFile } from '../repair/check-file.ts';
import { partFiles } from '../repair/repair-files.ts';
import { mergeBatches, mergeSideFiles, partsToMerge } from './merge-batches.ts';
import { sideFolders } from '../side-tables.ts';
import { batchPath, writeDataFile } from '../../test/data-files.ts';
import { RecordedFiles } from '../../test/recorded-files.ts';

const FIELDS: readonly ArrowField[] = [
  { name: 'id', type: 'int64', nullable: false },
  { name: 'share', type: 'float64', nullable: true },
  { name: 'is_even', type: 'bool', nullable: false },
  { name: 'text', type: 'utf8', nullable: true },
  { name: 'quiz', type: 'utf8', nullable: true, json: true },
  {
    name: 'trace',
    nullable: true,
    type: {
      list: {
        struct: [
          { name: 'role', type: 'utf8', nullable: false },
          { name: 'args', type: 'utf8', nullable: true, json: true },
        ],
      },
    },
  },
];

let paths: DatasetPaths;

beforeEach(() => {
  paths = datasetPaths(mkdtempSync(join(tmpdir(), 'merge-batches-')));
  mkdirSync(paths.parquetFiles);
  mkdirSync(paths.partialFiles);
});

afterEach(() => rmSync(paths.folder, { recursive: true }));

/** A row, with nulls, characters of several bytes and truncated bounds. */
function rowOf(id: number): Record<string, CellValue> {
  return {
    id,
    share: id % 4 === 0 ? null : id / 3,
    is_even: id % 2 === 0,
    text: id % 5 === 0 ? null : `${'ünï€'.repeat(40)} ${id}`,
    quiz: { question: `Is ${id} > 1?`, answers: [id, 1.5, null] },
    trace:
      id % 3 === 0
        ? null
        : [
            { role: 'user', args: { id } },
            { role: 'tool', args: null },
          ],
  };
}

/** The rows of a group, ten of each but the empty ones. */
function rowsOf(group: number, empty: readonly number[] = []): Record<string, CellValue>[] {
  return empty.includes(group) ? [] : Array.from({ length: 10 }, (_, row) => rowOf(group * 10 + row));
}

async function write(
  groups: readonly number[],
  { format = 'parquet', empty = [] }: { format?: BatchFormat; empty?: number[] } = {},
) {
  for (const group of groups) {
    const rows = rowsOf(group, empty);
    const columns = new Map<string, ColumnData>(FIELDS.map(({ name }) => [name, rows.map((row) => row[name] ?? null)]));
    const batch = { fields: FIELDS, columns, rows: rows.length };
    await writeDataFile(batchPath(paths, group, format), batch);
  }
}

const files = () => readdirSync(paths.parquetFiles).toSorted();
const read = () => Array.fromAsync(readDataset(paths.folder));
const rowsOfAll = (groups: readonly number[], empty: readonly number[] = []) =>
  groups.flatMap((group) => rowsOf(group, empty));

/** The bounds of all columns, text as its bytes. */
async function bounds(file: string) {
  const parsers = { stringFromBytes: (bytes: Uint8Array) => Buffer.from(bytes).toString('hex') as never };
  const { row_groups } = await parquetMetadataAsync(await asyncBufferFromFile(file), { parsers });
  return row_groups.map(({ columns }) => columns.map(({ meta_data }) => meta_data?.statistics));
}

const file = (first: number, bytes: number, last = first) => ({ first, last, path: `${first}`, bytes });

test.each(BATCH_FORMATS)(
  '%s files are merged with all rows, types, metadata and order',
  { tags: 'long' },
  async (format) => {
    const groups = [0, 1, 2, 3, 4];
    await write(groups, { format, empty: [0, 3] });
    expect(await mergeBatches(paths, { format })).toBe(4);
    expect(files()).toEqual([`batch_00000-00004.${format}`]);
    expect(await read()).toEqual(rowsOfAll(groups, [0, 3]));
    await write([5], { format });
    expect(await mergeBatches(paths, { format })).toBe(1);
    expect(files()).toEqual([`batch_00000-00005.${format}`]);
    expect(await read()).toEqual(rowsOfAll([...groups, 5], [0, 3]));
  },
);

test('an independent reader finds the same rows and exact statistics in the merged file', async () => {
  await write([0, 1, 2]);
  const before = (await Promise.all([0, 1, 2].map((group) => bounds(batchPath(paths, group))))).flat();
  await mergeBatches(paths, { format: 'parquet' });
  const merged = join(paths.parquetFiles, 'batch_00000-00002.parquet');
  expect(await bounds(merged)).toEqual(before);
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const rows = await connection.runAndReadAll(
    `select id, text, trace[1].role as role from '${merged}' where id between 8 and 12 and text > 'ü' order by id`,
  );
  expect(rows.getRowObjectsJson()).toEqual(
    [8, 9, 11, 12].map((id) => ({ id: `${id}`, text: rowOf(id).text, role: id % 3 === 0 ? null : 'user' })),
  );
  connection.closeSync();
});

test('files with a gap between them and large files are not merged', () => {
  const spans = (sizes: ReturnType<typeof file>[]) =>
    partsToMerge(sizes, 100).map((part) => [part[0]?.first, part.at(-1)?.last]);
  expect(spans([file(0, 10), file(1, 10), file(3, 10), file(4, 10, 7), file(8, 10)])).toEqual([
    [0, 1],
    [3, 8],
  ]);
  expect(spans([file(0, 40), file(1, 40), file(2, 40), file(3, 60), file(4, 10), file(5, 100), file(6, 1)])).toEqual([
    [0, 1],
    [3, 4],
  ]);
  expect(spans([file(0, 10)])).toEqual([]);
  // A reader holds the metadata of each row group of a file.
  expect(spans([file(0, 1, 1998), file(1999, 1), file(2000, 1), file(2001, 1)])).toEqual([
    [0, 1999],
    [2000, 2001],
  ]);
});

test('a merge interrupted before the file is complete changes nothing', async () => {
  await write([0, 1, 2]);
  writeFileSync(join(paths.partialFiles, 'batch_00000-00002.parquet.tmp-1-0-0'), 'half');
  expect((await batchFiles(paths)).map(({ first, last }) => [first, last])).toEqual([
    [0, 0],
    [1, 1],
    [2, 2],
  ]);
  expect(await read()).toEqual(rowsOfAll([0, 1, 2]));
});

test.each([0, 1, 2, 3])(
  'a merge interrupted with %i of three files removed has each row once and is completed',
  { tags: 'long' },
  async (removed) => {
    await write([0, 1, 2, 3]);
    // The merged file before its rename.
    renameSync(batchPath(paths, 3), join(paths.folder, 'rest'));
    const singles = [0, 1, 2].map((group) => batchPath(paths, group));
    singles.forEach((path, group) => copyFileSync(path, join(paths.folder, `${group}`)));
    await mergeBatches(paths, { format: 'parquet' });
    const merged = mergedName({ first: 0, last: 2 }, 'parquet');
    renameSync(join(paths.parquetFiles, merged), join(paths.partialFiles, merged));
    renameSync(join(paths.folder, 'rest'), batchPath(paths, 3));
    singles.slice(removed).forEach((path, index) => copyFileSync(join(paths.folder, `${index + removed}`), path));
    expect(await read()).toEqual(rowsOfAll([0, 1, 2, 3]));
    await finishMerges(paths);
    expect(files()).toEqual([merged, 'batch_00003.parquet']);
    expect(await read()).toEqual(rowsOfAll([0, 1, 2, 3]));
  },
);

test('the earlier name of a merged file is gone on disk once the merge has ended', async () => {
  await write([0, 1]);
  using recorded = new RecordedFiles(paths.folder);
  await mergeBatches(paths, { format: 'parquet' });
  const moved = recorded.lines.findIndex((line) => line.endsWith(' -> parquet-files/batch_00000-00001.parquet'));
  expect(moved).toBeGreaterThan(0);
  expect(recorded.lines.indexOf('sync-folder tmp-partial-parquet-files', moved)).toBeGreaterThan(moved);
});

test('groups that are parted from a merged file have files of their own, and the others stay together', async () => {
  await write([0, 1, 2, 3, 4]);
  await mergeBatches(paths, { format: 'parquet' });
  await write([5]);
  const part = async (groups: readonly number[]) => {
    const checksums = await new ChecksumLog(paths).read();
    const checked = await Promise.all((await batchFiles(paths)).map((one) => checkFile(one, checksums)));
    await partFiles(paths, checked, { format: 'parquet', groups: new Set(groups) });
  };
  const { ino } = statSync(batchPath(paths, 5));
  const recorded = new RecordedFiles(paths.folder);
  await part([2, 5]);
  recorded[Symbol.dispose]();
  expect(statSync(batchPath(paths, 5)).ino).toBe(ino);
  const gone = recorded.lines.indexOf('remove-tree parted-files');
  expect(recorded.lines.slice(gone + 1)).toContain('sync-folder ');
  const [head, tail] = [
    [0, 1],
    [3, 4],
  ].map(([first = 0, last = 0]) => mergedName({ first, last }, 'parquet'));
  expect(files()).toEqual([head, 'batch_00002.parquet', tail, 'batch_00005.parquet']);
  expect(await read()).toEqual(rowsOfAll([0, 1, 2, 3, 4, 5]));
  const checksums = await new ChecksumLog(paths).read();
  for (const { path } of (await batchFiles(paths)).slice(0, 3)) expect(checksums.isKnown(path)).toBe(true);
  await part([5]);
  await part([0, 1]);
  expect(files().slice(0, 3)).toEqual(['batch_00000.parquet', 'batch_00001.parquet', 'batch_00002.parquet']);
  expect(await read()).toEqual(rowsOfAll([0, 1, 2, 3, 4, 5]));
});

/** The rows of a group, whose texts do not fit one part of a file. */
function longRowsOf(group: number): Record<string, CellValue>[] {
  return Array.from({ length: 7 }, (_, row) => ({ id: group * 7 + row, text: `${row}`.repeat(1_500_000) }));
}

test.each(BATCH_FORMATS)(
  'row groups of several parts are merged, checked and parted in %s files',
  { tags: 'long' },
  async (format) => {
    const groups = [0, 1, 2];
    for (const group of groups)
      await writeDataFile(
        batchPath(paths, group, format),
        batchOf(longRowsOf(group), [FIELDS[0], FIELDS[3]] as ArrowField[]),
      );
    const all = groups.flatMap(longRowsOf);
    const reader = await storageOf(format).loadReader();
    expect((await reader.checkGroups(batchPath(paths, 1, format), { first: 1, last: 1 })).failures).toHaveLength(3);
    expect(await mergeBatches(paths, { format })).toBe(2);
    expect(await read()).toEqual(all);
    const checked = async () => {
      const checksums = await new ChecksumLog(paths).read();
      return Promise.all((await batchFiles(paths)).map((one) => checkFile(one, checksums)));
    };
    const [merged] = await checked();
    expect(merged?.groups.map(({ group, rows }) => [group, rows])).toEqual(groups.map((group) => [group, 7]));
    const { path = '', groups: ranges = [] } = merged ?? {};
    const bytes = readFileSync(path);
    const last = (ranges[1]?.to ?? 0) - 100;
    bytes.writeUInt8(bytes.readUInt8(last) ^ 1, last);
    writeFileSync(path, bytes);
    expect([...((await checked())[0]?.damaged ?? [])].map(({ group }) => group)).toEqual([1]);
    bytes.writeUInt8(bytes.readUInt8(last) ^ 1, last);
    writeFileSync(path, bytes);
    await partFiles(paths, await checked(), { format, groups: new Set([1]) });
    expect(files()).toEqual([0, 1, 2].map((group) => basename(batchPath(paths, group, format))));
    expect(await read()).toEqual(all);
  },
);

test('an unreadable file ends the merge and leaves all files unchanged', async () => {
  await write([0, 1, 2]);
  truncateSync(batchPath(paths, 1), 300);
  await expect(mergeBatches(paths, { format: 'parquet' })).rejects.toThrow('batch_00001.parquet: it is truncated');
  expect(files()).toHaveLength(3);
  expect(readdirSync(paths.partialFiles)).toEqual([]);
});

test('files with different fields are not merged', async () => {
  await write([0]);
  const fields: ArrowField[] = [{ name: 'id', type: 'utf8', nullable: false }];
  await writeDataFile(batchPath(paths, 1), { fields, columns: new Map([['id', ['a']]]), rows: 1 });
  expect(await mergeBatches(paths, { format: 'parquet' })).toBe(0);
  expect(files()).toHaveLength(2);
  expect(readdirSync(paths.partialFiles)).toEqual([]);
});

test('a side table is merged once its files for all row groups of the main file exist', async () => {
  const table = { processor: 'chats' };
  const beside = sideFolders(paths, table);
  for (const place of [beside.parquetFiles, beside.partialFiles]) mkdirSync(place, { recursive: true });
  await write([0, 1, 2]);
  const copies = [0, 1, 2].map((group) => join(beside.parquetFiles, basename(batchPath(paths, group))));
  const copy = (group: number) => copyFileSync(batchPath(paths, group), copies[group] as string);
  for (const group of [0, 1, 2]) copy(group);
  const last = readFileSync(copies[2] as string);
  await mergeBatches(paths, { format: 'parquet' });
  const there = () => readdirSync(beside.parquetFiles).toSorted();
  rmSync(copies[2] as string);
  await mergeSideFiles(paths, table, 'parquet');
  expect(there()).toEqual(['batch_00000.parquet', 'batch_00001.parquet']);
  writeFileSync(copies[2] as string, last);
  await mergeSideFiles(paths, table, 'parquet');
  expect(there()).toEqual(['batch_00000-00002.parquet']);
});

test('a file name gives the span of its row groups', () => {
  expect(spanOf(mergedName({ first: 3, last: 120_000 }, 'arrow'))).toEqual({ first: 3, last: 120_000 });
  expect(spanOf('batch_00007.parquet')).toEqual({ first: 7, last: 7 });
  expect(spanOf('batch_00007.parquet.damaged')).toBeUndefined();
});
