import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { field } from '@data-designer/core';
import { batchName, datasetPaths, readBatch, refusedFolders, SelectionLog, sideFolders } from '@data-designer/dataset';
import { testFolder } from '@data-designer/testing/test-folder';
import { SelectedFiles } from './selected-files.ts';

const root = testFolder('selected-files');
const SIDE = { processor: 'cards', fields: [field('title', 'utf8')] };

/** The rows in the file of a group. */
const rowsIn = async (folder: string, group: number) =>
  (await Array.fromAsync(readBatch(join(folder, batchName(group, 'parquet'))))).map((row) =>
    Object.values(row).map(String),
  );

/** Files with two rows in a group. */
function opened() {
  const paths = datasetPaths(mkdtempSync(join(root, 'to-')));
  const plan = { fields: [field('n', 'int64')] };
  const files = new SelectedFiles(paths, { plan, format: 'parquet', imagesFrom: root, sides: [SIDE], groupSize: 2 });
  const accept = (n: number) => files.accept({ main: { n }, sides: [{ title: `card ${n}` }] });
  const refuse = (n: number, keepRejected: boolean) =>
    files.refuse({ n }, { row: n, code: 'select/duplicate', reason: `no ${n}` } as never, { keepRejected });
  return { paths, files, accept, refuse };
}

test('accepted rows, those of their side tables and refused ones are written in groups, with the decisions', async () => {
  const { paths, files, accept, refuse } = opened();
  for (const n of [0, 1]) await accept(n);
  for (const n of [2, 3, 4]) await refuse(n, true);
  await accept(5);
  await files.finish();
  expect(await Promise.all([0, 1].map((group) => rowsIn(paths.parquetFiles, group)))).toEqual([
    [['0'], ['1']],
    [['5']],
  ]);
  const { parquetFiles } = sideFolders(paths, SIDE);
  expect(await Promise.all([0, 1].map((group) => rowsIn(parquetFiles, group)))).toEqual([
    [['card 0'], ['card 1']],
    [['card 5']],
  ]);
  const rejected = refusedFolders(paths).parquetFiles;
  expect(await Promise.all([0, 1].map((group) => rowsIn(rejected, group)))).toEqual([
    [
      ['2', 'no 2'],
      ['3', 'no 3'],
    ],
    [['4', 'no 4']],
  ]);
  const decided = [...(await new SelectionLog(paths).read()).values()];
  expect(decided.map((one) => [one.decided, one.accepted, one.refused.length])).toEqual([
    [2, 2, 0],
    [2, 0, 2],
    [2, 1, 1],
  ]);
});

test('refused rows that are not kept leave their reasons alone', async () => {
  const { paths, files, refuse } = opened();
  for (const n of [0, 1, 2]) await refuse(n, false);
  await files.finish();
  expect([existsSync(refusedFolders(paths).parquetFiles), existsSync(paths.parquetFiles)]).toEqual([false, false]);
  const decided = [...(await new SelectionLog(paths).read()).values()];
  expect(decided.map(({ refused }) => refused.map(({ row }) => row))).toEqual([[0, 1], [2]]);
});
