import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Batch, field } from '@data-designer/core';
import { batchFiles } from '../read/batch-files.ts';
import { type DatasetPaths, datasetPaths } from '../dataset-paths.ts';
import { readRows } from '../formats/parquet/read-parquet.ts';
import { finishRewrite, rewriteBatches } from './rewrite-batches.ts';
import { batchPath, writeDataFile } from '../../test/data-files.ts';

const fields = [field('id', 'int64')];
const batch = (...values: readonly number[]): Batch => ({
  fields,
  columns: new Map([['id', values]]),
  rows: values.length,
});

let paths: DatasetPaths;

beforeEach(async () => {
  paths = datasetPaths(mkdtempSync(join(tmpdir(), 'rewrite-')));
  for (const folder of [paths.parquetFiles, paths.partialFiles]) await mkdir(folder);
  for (const group of [0, 1]) await writeDataFile(batchPath(paths, group), batch(group));
});

afterEach(() => rmSync(paths.folder, { recursive: true }));

async function ids(): Promise<unknown[]> {
  const files = (await batchFiles(paths)).map(({ path }) => path);
  return (await Array.fromAsync(readRows(files))).map(({ id }) => id);
}

async function* doubled(path: string): AsyncGenerator<Batch> {
  for await (const { id } of readRows([path])) yield batch(Number(id) + 10, Number(id) + 20);
}

const rewrite = (batchesOf = doubled) => rewriteBatches(paths, { fields, format: 'parquet', batchesOf });

test('new files count once all are complete, and the change is recorded before their folder is removed', async () => {
  await rewrite();
  expect(await ids()).toEqual([0, 1]);
  const whole = join(paths.folder, 'rewritten-files');
  const noted: boolean[] = [];
  await finishRewrite(paths, async () => {
    noted.push(existsSync(whole));
  });
  expect([await ids(), noted, existsSync(whole)]).toEqual([[10, 20, 11, 21], [true], false]);
});

test('an interrupted rewrite is completed', async () => {
  await rewrite();
  renameSync(join(paths.folder, 'rewritten-files', 'batch_00000.parquet'), batchPath(paths, 0));
  await finishRewrite(paths, async () => {});
  expect(await ids()).toEqual([10, 20, 11, 21]);
});

test('a failed rewrite changes nothing and can be repeated', async () => {
  const failing = rewrite(async function* (path) {
    if (path === batchPath(paths, 1)) throw new Error('no way');
    yield* doubled(path);
  });
  await expect(failing).rejects.toThrow('no way');
  await finishRewrite(paths, () => Promise.reject(new Error('there is nothing to finish')));
  expect(await ids()).toEqual([0, 1]);
  await rewrite();
  await finishRewrite(paths, async () => {});
  expect(await ids()).toEqual([10, 20, 11, 21]);
});
