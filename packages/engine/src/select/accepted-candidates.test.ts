import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { field, type Plan, rowsIn } from '@data-designer/core';
import { batchName, readDataset, readSideRows } from '@data-designer/dataset';
import { testFolder } from '@data-designer/testing/test-folder';
import { planOf, sampled } from '../../test/plan-of.ts';
import { runOptions, storeRows } from '../../test/store-rows.ts';
import type { RequestedRunOptions } from '../run-options.ts';
import { runSelected } from './accepted-candidates.ts';
import { isSelecting, type SelectingPlan } from './candidate-plan.ts';
import { candidatePaths } from './clean-candidates.ts';

const artifactPath = testFolder('accepted-candidates');

const CARDS = { processor: 'cards', fields: [field('title', 'utf8')] };

function selecting(): SelectingPlan {
  const columns = [sampled('n', 'uniform', { params: { low: 0, high: 9 } })];
  const kept = { keep_rejected: true, keep_candidates: true, on_exhausted: 'keep', max_candidates: 4 };
  const processors = [{ name: 'cards', processor_type: 'schema_transform', template: { title: 'Card {{ n }}' } }];
  const plan = planOf({ columns, processors, select: { unique: [{ exact: ['n'] }], ...kept } }, { numRecords: 4 });
  if (!isSelecting(plan)) throw new Error('the plan has no selection');
  return plan;
}

/** A run whose four candidates are 0, 0, 1 and a lost one; `before` is called before they are stored. */
function runs(datasetName: string, before: () => void = () => {}) {
  const folder = join(artifactPath, datasetName);
  const made: number[] = [];
  const makeRows = async (plan: Plan, options: RequestedRunOptions) => {
    made.push(rowsIn(plan.segments));
    options.onEvent({ type: 'run-start', path: options.artifactPath } as never);
    before();
    const rows = [{ n: 0 }, { n: 0 }, { n: 1 }];
    const cards = rows.map(({ n }) => ({ title: `Card ${n}` }));
    return storeRows(plan, options, { rows, write: (files) => files.writeSide(CARDS, 0, cards) });
  };
  const run = async (resume: 'never' | 'always' = 'never') => {
    const { path } = await runSelected(selecting(), runOptions({ artifactPath, datasetName, resume }), makeRows);
    return (await Array.fromAsync(readDataset(path))).map(({ n }) => n);
  };
  return { folder, made, run };
}

test('the first accepted candidates are the rows, also in side tables, and only refused ones are recorded as refused', async () => {
  const { folder, made, run } = runs('plain');
  expect(await run()).toEqual([0, 1]);
  expect(made).toEqual([4]);
  expect((await Array.fromAsync(readSideRows(folder, CARDS))).map(({ title }) => title)).toEqual(['Card 0', 'Card 1']);
  expect(JSON.parse(readFileSync(join(folder, 'metadata.json'), 'utf8'))).toMatchObject({
    actual_num_records: 2,
    selection: { accepted: 2, finished_for: 4, refused: [{ code: 'select/duplicate', rows: 1 }] },
  });
});

test('damaged candidates are made again, but not where their decisions cannot be stored', async () => {
  let isBlocked = true;
  const { folder, made, run } = runs('blocked', () => {
    // Something else takes the place of the refused rows.
    if (isBlocked) writeFileSync(join(folder, 'rejected'), '');
  });
  await expect(run()).rejects.toThrow('rejected');
  await expect(run('always')).rejects.toThrow('rejected');
  expect(made).toEqual([4]);
  isBlocked = false;
  rmSync(join(folder, 'rejected'));
  truncateSync(join(candidatePaths(folder).parquetFiles, batchName(0, 'parquet')), 10);
  expect(await run('always')).toEqual([0, 1]);
  expect(made).toEqual([4, 4]);
});
