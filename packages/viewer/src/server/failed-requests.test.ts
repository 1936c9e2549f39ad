import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type DatasetPaths, datasetPaths, markPartial, UsageLog } from '@data-designer/dataset';
import { noUsage } from '@data-designer/models';
import { testFolder } from '@data-designer/testing/test-folder';
import { failedRequests } from './failed-requests.ts';
import type { ShownDataset } from './shown-dataset.ts';

const root = testFolder('failed-requests');
let paths: DatasetPaths;

beforeEach(() => {
  paths = datasetPaths(mkdtempSync(join(root, 'data-')));
  for (const path of [paths.parquetFiles, paths.journals]) mkdirSync(path, { recursive: true });
});

const groupAt = (group: number) => (group < 9 ? { start: 10 * group, rows: 10 } : undefined);

/** A dataset of row groups of ten rows; that of a selection has its candidates elsewhere. */
function dataset(askedPaths = paths): ShownDataset {
  return {
    paths,
    currentRows: () => Promise.resolve({ groupAt }),
    askedPaths: () => Promise.resolve(askedPaths),
  } as unknown as ShownDataset;
}

const counts = (requests: number, failed: number, refused = 0) => ({
  ...noUsage(),
  requests,
  failedRequests: failed,
  refusedRequests: refused,
});
const log = (group: number | null, usage: Record<string, ReturnType<typeof counts>>) =>
  new UsageLog(paths.usage).add(group, { usage, tools: {} });
const finish = (group: number) =>
  writeFileSync(join(paths.parquetFiles, `batch_${String(group).padStart(5, '0')}.parquet`), '');

test('failed requests are grouped by row group and model, the most first', async () => {
  for (const group of [0, 1, 2, 3]) finish(group);
  await log(0, { writer: counts(10, 2, 1), judge: counts(5, 0) });
  await log(1, { writer: counts(7, 3, 2), judge: counts(4, 2) });
  await log(null, { writer: counts(2, 1) });
  await log(null, { writer: counts(3, 1, 1) });
  // Made, and then made again.
  await markPartial(paths, 3, { cells: {}, usage: { writer: counts(9, 8) } });
  await log(3, { writer: counts(90, 80) });
  // Not finished.
  await log(5, { writer: counts(90, 80) });
  const { groups, total } = await failedRequests(dataset());
  expect(
    groups.map(({ group, alias, requests, failed, refused }) => [group, alias, requests, failed, refused]),
  ).toEqual([
    [3, 'writer', 9, 8, 0],
    [1, 'writer', 7, 3, 2],
    [null, 'writer', 5, 2, 1],
    [0, 'writer', 10, 2, 1],
    [1, 'judge', 4, 2, 0],
  ]);
  expect(groups.map(({ rows }) => rows)).toEqual([
    { first: 30, count: 10 },
    { first: 10, count: 10 },
    null,
    { first: 0, count: 10 },
    { first: 10, count: 10 },
  ]);
  expect(total).toBe(5);
});

test('the groups of candidates have no place among the rows', async () => {
  finish(0);
  await log(0, { writer: counts(2, 1) });
  const { groups } = await failedRequests(dataset(datasetPaths(paths.folder)));
  expect(groups).toMatchObject([{ group: 0, rows: null }]);
});

test('at most 200 groups are told, and how many there are', async () => {
  for (let group = 0; group < 202; group++) {
    finish(group);
    await log(group, { writer: counts(2, 1) });
  }
  const { groups, total } = await failedRequests(dataset());
  expect([groups.length, total, groups[9]?.rows]).toEqual([200, 202, null]);
});
