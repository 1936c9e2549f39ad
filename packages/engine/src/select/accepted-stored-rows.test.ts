import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Row } from '@data-designer/core';
import { readDataset, readSideRows } from '@data-designer/dataset';
import { testFolder } from '@data-designer/testing/test-folder';
import { expression, planOf, registry, sampled } from '../../test/plan-of.ts';
import { runOptions, storeRows } from '../../test/store-rows.ts';
import { selectRows } from './accepted-stored-rows.ts';

const root = testFolder('accepted-stored-rows');
const PLAN = planOf(
  {
    columns: [sampled('n', 'uniform', { params: { low: 0, high: 9 } }), expression('gone', 'x{{ n }}', { drop: true })],
  },
  { numRecords: 3 },
);
const ROWS = [{ n: 0 }, { n: 1 }, { n: 2 }];
const DROPPED = { processor: null, fields: PLAN.dropped ?? [] };

/** A finished dataset, with the values of its dropped column or without them. */
const stored = (datasetName: string, dropped: readonly Row[] | undefined, plan = PLAN) =>
  storeRows(plan, runOptions({ artifactPath: root, datasetName }), {
    rows: ROWS,
    write: async (files) => {
      if (dropped) await files.writeSide(DROPPED, 0, dropped);
    },
  });
const selected = (from: string, rules: object) =>
  selectRows(join(root, from), rules, { artifactPath: root, datasetName: `of-${from}`, registry });
const numbers = async (folder: string) => (await Array.fromAsync(readDataset(folder))).map(({ n }) => n);

test('rows of a dataset are selected by a column that it dropped, whose values they keep', async () => {
  await stored(
    'whole',
    ROWS.map(({ n }) => ({ gone: `x${n}` })),
  );
  const { path } = await selected('whole', { where: 'gone != "x1"' });
  expect(await numbers(path)).toEqual([0, 2]);
  expect((await Array.fromAsync(readSideRows(path, DROPPED))).map(({ gone }) => gone)).toEqual(['x0', 'x2']);
});

test('rows of a dataset are selected without a side table that it has not', async () => {
  // NeMo Data Designer may have written none.
  await stored('bare', undefined, { ...PLAN, layout: 'python' });
  const { path, plan } = await selected('bare', { where: 'n > 0' });
  expect(await numbers(path)).toEqual([1, 2]);
  expect(plan.dropped).toBeNull();
  await expect(selected('bare', { where: 'gone != "x1"' })).rejects.toMatchObject({ code: 'config/invalid' });
});
