import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { field } from '@data-designer/core';
import { batchPath, writeDataFile } from '../../test/data-files.ts';
import { datasetPaths } from '../dataset-paths.ts';
import { batchOf } from '../encode/row-chunks.ts';
import { mergeBatches } from '../merge/merge-batches.ts';
import { ChecksumLog } from '../logs/checksums.ts';
import { sumFile } from '../files/file-sum.ts';
import { DatasetRows } from './dataset-rows.ts';

const FIELDS = [field('n', 'int64'), field('tags', { list: 'utf8' }), field('text', 'utf8')];
const rowOf = (n: number) => ({ n, tags: [`a${n}`, null], text: 'x'.repeat(n % 7) });

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dataset-rows-'));
  await mkdir(datasetPaths(folder).parquetFiles);
  await mkdir(datasetPaths(folder).partialFiles);
});
afterEach(() => rm(folder, { recursive: true }));

/** Writes a row group with rows numbered from `first`. */
async function write(group: number, first: number, rows: number): Promise<void> {
  const paths = datasetPaths(folder);
  const path = batchPath(paths, group);
  const records = Array.from({ length: rows }, (_, index) => rowOf(first + index));
  await writeDataFile(path, batchOf(records, FIELDS));
  const { bytes, outside } = await sumFile(path);
  await new ChecksumLog(paths).add([{ path, sum: { bytes, rows, crc32: outside } }]);
}

test('reads rows at any positions in the requested order, and none where there is no row', async () => {
  for (const group of [0, 1, 2]) await write(group, group * 100, 100);
  const rows = new DatasetRows(folder);
  await rows.refresh();
  expect(rows.total).toBe(300);
  expect(await rows.at([299, 5, 300, 100, 6])).toEqual([rowOf(299), rowOf(5), undefined, rowOf(100), rowOf(6)]);
  expect(await rows.at([150], ['n'])).toEqual([{ n: 150 }]);
  expect(rows.placeOf(203)).toEqual({ group: 2, offset: 3, rows: 100 });
  expect(rows.placeOf(300)).toBeUndefined();
  expect(rows.groupAt(1)).toEqual({ start: 100, rows: 100 });
});

test('reads rows that lie far apart in a file', async () => {
  await write(0, 0, 3000);
  const rows = new DatasetRows(folder);
  await rows.refresh();
  expect(await rows.at([2999, 4, 3, 1500])).toEqual([rowOf(2999), rowOf(4), rowOf(3), rowOf(1500)]);
  expect(await rows.at([7, 2000], ['tags', 'n'])).toEqual([7, 2000].map((n) => ({ tags: rowOf(n).tags, n })));
});

test('finds rows that a run adds, and reads on after a merge has replaced the files', async () => {
  await write(0, 0, 10);
  const rows = new DatasetRows(folder);
  expect([await rows.refresh(), await rows.refresh()]).toEqual([true, false]);
  await write(1, 10, 10);
  expect([await rows.refresh(), rows.total]).toEqual([true, 20]);
  expect(await mergeBatches(datasetPaths(folder), { format: 'parquet' })).toBe(1);
  expect(await rows.at([3, 17])).toEqual([rowOf(3), rowOf(17)]);
  expect(rows.placeOf(17)).toEqual({ group: 1, offset: 7, rows: 10 });
});
