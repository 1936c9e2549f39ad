import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { datasetPaths } from '@data-designer/dataset';
import { testFolder } from '@data-designer/testing/test-folder';
import { expression, planOf } from '../../../engine/test/plan-of.ts';
import { runOptions, storeRows } from '../../../engine/test/store-rows.ts';
import { listStored, readPage, storedState } from './stored-datasets.ts';

const artifactPath = testFolder('stored-datasets');
const PLAN = planOf({ columns: [expression('x', 'a'), expression('y', 'b')] }, { numRecords: 3 });
/** A text whose record has so many characters. */
const textOf = (characters: number) => 'a'.repeat(characters - JSON.stringify({ x: '' }).length);

async function stored(datasetName: string, rows: readonly { readonly x: string; readonly y: string }[]) {
  const { path } = await storeRows(PLAN, runOptions({ artifactPath, datasetName }), { rows });
  return path;
}

test('a page has as many records as asked for, and as a model can read', async () => {
  const texts = [textOf(100_000), textOf(100_000), 'c'];
  const rows = texts.map((x) => ({ x, y: 'b' }));
  const path = await stored('long', rows);
  const read = async (limit: number, offset = 0, columns: readonly string[] | undefined = ['x']) => {
    const { records, nextOffset } = await readPage(path, { offset, limit, columns });
    return [records.length, nextOffset];
  };
  // The first two records have just so many characters together.
  expect([await read(9), await read(1), await read(3, 2), await read(2, 1)]).toEqual([
    [2, 2],
    [1, 1],
    [1, null],
    [2, null],
  ]);
  expect(await readPage(path, { offset: 2, limit: 9 })).toEqual({ records: [{ x: 'c', y: 'b' }], nextOffset: null });
  await expect(readPage(path, { offset: 0, limit: 1, columns: ['z'] })).rejects.toThrow(
    "There is no column 'z'. The columns are x, y.",
  );
});

test('a dataset is known from its files, as far as they tell', async () => {
  const path = await stored(
    'known',
    ['a', 'b', 'c'].map((x) => ({ x, y: 'b' })),
  );
  const known = { dataset: 'known', folder: path, status: 'complete', records: 3, requested: 3, cost: 0 };
  expect(await storedState(artifactPath, 'known')).toMatchObject(known);
  rmSync(join(path, 'metadata.json'));
  expect(await storedState(artifactPath, 'known')).toMatchObject({ records: 0, requested: 3, cost: null });
  writeFileSync(join(path, 'metadata.json'), '{}');
  const { run, runCopy } = datasetPaths(path);
  for (const file of [run, runCopy]) rmSync(file, { force: true });
  expect(await storedState(artifactPath, 'known')).toMatchObject({ records: 0, requested: 0 });
  mkdirSync(join(artifactPath, 'empty'));
  expect(await storedState(artifactPath, 'empty')).toBeUndefined();
  expect(await storedState(artifactPath, '../stored')).toBeUndefined();
  expect((await listStored(artifactPath)).map(({ dataset }) => dataset)).not.toContain('empty');
});
