import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Batch, field } from '@data-designer/core';
import { batchFiles } from '../formats/batch-files.ts';
import { parquetSchema } from 'hyparquet';
import { type DatasetPaths, datasetPaths } from '../dataset-paths.ts';
import { parquetFile, parquetMetadata } from '../formats/parquet/parquet-file.ts';
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

test('the values of a whole new file decide its types in the layout of the Python tool', async () => {
  const any = [field('any', 'utf8', { json: true })];
  const made = async function* (path: string): AsyncGenerator<Batch> {
    const values = path === batchPath(paths, 0) ? [[1], [2.5]] : [[{ a: 1 }], [{ b: 'x' }]];
    for (const column of values) yield { fields: any, columns: new Map([['any', column]]), rows: 1 };
  };
  await rewriteBatches(paths, { fields: any, format: 'parquet', layout: 'python', batchesOf: made });
  await finishRewrite(paths, async () => {});
  const types: unknown[] = [];
  for (const group of [0, 1]) {
    const { children } = parquetSchema(await parquetMetadata(await parquetFile(batchPath(paths, group))));
    types.push(
      children.map(({ element, children: members }) => element.type ?? members.map((one) => one.element.name)),
    );
  }
  expect(types).toEqual([['DOUBLE'], [['a', 'b']]]);
});
