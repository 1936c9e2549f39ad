import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Plan } from '@data-designer/core';
import { type DatasetPaths, datasetPaths, UsageLog } from '@data-designer/dataset';
import type { RunEvent } from '@data-designer/engine';
import { noUsage } from '@data-designer/models';
import { testFolder } from '@data-designer/testing/test-folder';
import { RUN_RECORD_VERSION, writeRunRecord } from '../../../dataset/src/run-record.ts';
import { planOf, sampled } from '../../../engine/test/plan-of.ts';
import { RunSpending } from './run-spending.ts';

const root = testFolder('run-spending');
const pricing = { input: 1, cachedInput: null, output: 0, image: null };
const PLAN = planOf({ columns: [sampled('id', 'uuid', { params: {} })] });
const MODELS = { paid: { alias: 'paid', pricing } } as unknown as Plan['models'];

/** Progress with what the models have used so far, and how many of their requests are in flight. */
const progress = (usage: object, ...inFlight: readonly number[]) =>
  ({
    type: 'progress',
    snapshot: { usage, models: inFlight.map((one) => ({ inFlight: one })) },
  }) as unknown as RunEvent;
const used = (requests: number, cost: number | null) => ({ paid: { requests, cost } });

test('a run without a folder has spent what its events say, and its requests in flight cost as much as the others', async () => {
  const spending = await RunSpending.begin(MODELS, undefined);
  expect([spending.before, await spending.spent()]).toEqual([0, 0]);
  spending.take(progress({ ...used(4, 2), free: { requests: 90, cost: 90 } }, 0, 0));
  expect(await spending.spent()).toBe(2);
  spending.take(progress(used(4, 2), 1, 2));
  spending.take(progress(used(4, 2), 0, 1));
  expect(await spending.spent()).toBe(3);
  spending.succeed();
  expect(await spending.spent()).toBe(2);
});

test('the spending is unknown without a price, or while no request has an answer', async () => {
  const unpriced = await RunSpending.begin(MODELS, undefined);
  unpriced.take(progress(used(4, null), 0));
  expect(await unpriced.spent()).toBeNull();
  const unanswered = await RunSpending.begin(MODELS, undefined);
  unanswered.take(progress({}, 3));
  expect(await unanswered.spent()).toBeNull();
});

/** A dataset of which nothing is made yet. */
async function dataset(name: string): Promise<DatasetPaths> {
  const paths = datasetPaths(join(root, name));
  for (const path of [paths.parquetFiles, paths.journals]) mkdirSync(path, { recursive: true });
  await writeRunRecord(paths, { version: RUN_RECORD_VERSION, format: 'parquet', tools: {}, plan: PLAN, tables: [] });
  return paths;
}

/** Pays for a million tokens of the dataset. */
const pay = ({ usage }: DatasetPaths) =>
  new UsageLog(usage).add(null, { usage: { paid: { ...noUsage(), requests: 1, inputTokens: 1_000_000 } }, tools: {} });

test('a run with a folder has spent what its files say, without what was spent on the dataset before', async () => {
  const paths = await dataset('made');
  await pay(paths);
  const { folder: path } = paths;
  const begin = async (resumed?: string) => {
    const spending = await RunSpending.begin(MODELS, resumed);
    spending.take({ type: 'run-start', path } as RunEvent);
    return spending;
  };
  const [resumed, other, fresh] = [await begin(path), await begin((await dataset('other')).folder), await begin()];
  expect([resumed.before, other.before, fresh.before]).toEqual([1, 0, 0]);
  await pay(paths);
  await pay(paths);
  expect([await resumed.spent(), await other.spent(), await fresh.spent()]).toEqual([2, 3, 3]);
  rmSync(paths.usage);
  expect(await resumed.spent()).toBe(0);
  writeFileSync(paths.run, '{');
  rmSync(paths.runCopy, { force: true });
  expect(await resumed.spent()).toBeNull();
});
