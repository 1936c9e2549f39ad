import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type ArrowField, NEVER } from '@data-designer/core';
import { ChecksumLog, commit, type DatasetPaths, datasetPaths, markPartial, sideTables } from '@data-designer/dataset';
import { testFolder } from '@data-designer/testing/test-folder';
import { makeSideFolders } from '../../../dataset/src/side-tables.ts';
import { planOf, sampled } from '../../test/plan-of.ts';
import { filesIn, groupFiles } from '../commit/group-files.ts';
import { writeBatch } from '../row-group/write-batch.ts';
import { checkGroups } from './check-groups.ts';

const root = testFolder('check-groups');
const ROWS = 4;
/** Two row groups with a side table of the dropped column. */
const PLAN = planOf(
  { columns: [sampled('id', 'uuid', { params: {} }), { ...sampled('left', 'uuid', { params: {} }), drop: true }] },
  { numRecords: 2 * ROWS, run: { bufferSize: ROWS, preserveDroppedColumns: true } },
);
const MAIN = 'parquet-files/batch_00000.parquet';
const SIDE = 'dropped-columns-parquet-files/batch_00000.parquet';

let paths: DatasetPaths;
const pathOf = (name: string) => join(paths.folder, name);
const checked = () => checkGroups(paths, sideTables(PLAN), { signal: NEVER, drain: NEVER });

beforeEach(async () => {
  paths = datasetPaths(mkdtempSync(join(root, 'data-')));
  for (const path of [paths.parquetFiles, paths.partialFiles, paths.journals]) mkdirSync(path, { recursive: true });
  await makeSideFolders(paths, sideTables(PLAN));
  for (const group of [0, 1]) await store(group, 'text');
});

/** Stores a row group, and logs its checksums unless told otherwise. */
async function store(group: number, text: string, { isLogged = true } = {}): Promise<void> {
  const batchOf = (fields: readonly ArrowField[]) => {
    const cells = Array.from({ length: ROWS }, (_, row) => `${text} ${row}`);
    return { fields, columns: new Map(fields.map(({ name }) => [name, cells])), rows: ROWS };
  };
  const files = groupFiles({ plan: PLAN, paths, format: 'parquet' }, group);
  const output = await writeBatch(files, batchOf(PLAN.fields), [batchOf(PLAN.dropped ?? [])]);
  if (isLogged) await new ChecksumLog(paths).add(filesIn(output));
  for (const file of [...(files.sideTables ?? []), files]) await commit(file);
}

/** Changes a byte in the middle of a file. */
function damage(name: string): void {
  const bytes = readFileSync(pathOf(name));
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(pathOf(name), bytes);
}

test('row groups whose files are whole are finished', async () => {
  const { finished, damaged, rows, lostSides, lostFiles, damage: reason } = await checked();
  expect([finished, damaged, rows]).toEqual([new Set([0, 1]), new Set(), 2 * ROWS]);
  expect([lostSides, lostFiles, reason]).toEqual([[], [], undefined]);
});

test.each([
  ['damaged', () => damage(SIDE)],
  ['missing', () => rmSync(pathOf(SIDE))],
])('a row group whose side table is %s is not finished, and the file is named', async (_, harm) => {
  harm();
  const { finished, damaged, rows, lostSides, lostFiles } = await checked();
  expect([finished, damaged, rows]).toEqual([new Set([1]), new Set([0]), ROWS]);
  expect(lostSides).toMatchObject([{ path: pathOf(SIDE), first: 0, last: 0 }]);
  expect(lostFiles).toEqual([SIDE]);
});

test('a row group whose main file is damaged is not finished, and its side table is not lost', async () => {
  damage(MAIN);
  const { finished, damaged, rows, lostSides, lostFiles, damage: reason } = await checked();
  expect([finished, damaged, rows]).toEqual([new Set([1]), new Set([0]), ROWS]);
  expect([lostSides, lostFiles]).toEqual([[], [MAIN]]);
  expect(reason).toMatchObject({ code: 'dataset/damaged' });
});

test('a row group with a damaged image is not finished', async () => {
  writeFileSync(pathOf('a.png'), 'image');
  await new ChecksumLog(paths).add([], [{ group: 1, images: [{ path: 'a.png', bytes: 5, crc32: 1 }] }]);
  const { finished, damaged, lostFiles } = await checked();
  expect([finished, damaged, lostFiles]).toEqual([new Set([0]), new Set([1]), ['a.png']]);
});

test('the files of a row group that is marked as unfinished are not read', async () => {
  await markPartial(paths, 0, { cells: {}, usage: {} });
  damage(MAIN);
  damage(SIDE);
  const { finished, damaged, rows, left, files } = await checked();
  expect([finished, damaged, rows, left.has(0)]).toEqual([new Set([1]), new Set(), ROWS, true]);
  expect(files.map(({ first }) => first)).toEqual([1, 1]);
});

test('checksums that no file matches although all can be read are those of other files', async () => {
  for (const group of [0, 1]) await store(group, 'another', { isLogged: false });
  await expect(checked()).rejects.toMatchObject({
    code: 'dataset/damaged',
    data: { path: paths.checksums, reason: expect.stringContaining('although all 2 can be read') as string },
  });
  // A file that matches speaks for damage of the other one.
  await store(1, 'text');
  const { finished, damaged } = await checked();
  expect([finished, damaged]).toEqual([new Set([1]), new Set([0])]);
  // One that cannot be read speaks for damage too.
  await store(1, 'another', { isLogged: false });
  writeFileSync(pathOf(MAIN), 'no file');
  expect((await checked()).damaged).toEqual(new Set([0, 1]));
});
