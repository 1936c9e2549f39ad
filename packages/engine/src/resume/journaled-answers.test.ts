import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataDesignerError, type Plan } from '@data-designer/core';
import { Journal } from '../../../gateway/src/journal/journal.ts';
import { FrameBuffer, journalMark } from '../../../dataset/src/journal/journal-file.ts';
import { folderJournal } from '../../../dataset/src/journal/folder-journal.ts';
import { type DatasetPaths, datasetPaths } from '../../../dataset/src/dataset-paths.ts';
import { readJournaledAnswers } from './journaled-answers.ts';
import { readJournaledUsage } from './journaled-usage.ts';

const PRICING = { input: 1000, output: 1000, cachedInput: null, image: null };
const GROUPS = [0, 1, 2].map((index) => ({ index, firstRow: index * 10, rows: 10 }));

let folder: string;
let paths: DatasetPaths;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kept-answers-'));
  paths = datasetPaths(folder);
  await mkdir(paths.journals);
});

afterEach(() => rmSync(folder, { recursive: true }));

/** A plan with requests in `a`, which may fail, and in `b`, which has the given `onFailure`. */
function planOf(maxCost: number | null, onFailure: string): Plan {
  const columns = [
    { name: 'a', config: {}, requires: { models: ['writer'], tools: [] } },
    { name: 'b', config: { onFailure }, requires: { models: ['writer'], tools: [] } },
  ];
  return { maxCost, columns, models: { writer: { resource: 'model/p/m', pricing: PRICING } } } as unknown as Plan;
}

const ANSWER = '{"choices":[{"message":{"content":"ok"}}],"usage":{"prompt_tokens":1000}}';

/** Writes a journal of answers at a cost of 1 each. */
function write(group: number, ...at: readonly (readonly [row: number, column: string, call: number])[]): void {
  const answer = { request: 'hash', status: 200, headers: {}, body: ANSWER };
  const asked = { resource: 'model/p/m', path: 'chat/completions' } as const;
  const frames = new FrameBuffer();
  for (const [row, column, call] of at) frames.add({ row, column, call, ...answer, ...asked });
  mkdirSync(paths.journal(group));
  writeFileSync(join(paths.journal(group), '000001.journal'), Buffer.concat([journalMark(), frames.bytes]));
}

test('the cost of earlier runs counts every journaled answer, including replaced ones', async () => {
  write(0, [0, 'a', 0], [0, 'a', 0], [1, 'b', 0]);
  write(2, [20, 'a', 0]);
  const { cost, groups } = await readJournaledAnswers(planOf(100, 'null'), GROUPS, { paths, partial: new Map() });
  expect(cost).toBe(4);
  expect(groups).toEqual(GROUPS);
});

test('the usage of journaled answers counts by the alias of their column', async () => {
  write(0, [0, 'a', 0], [1, 'b', 0]);
  write(2, [20, 'a', 0]);
  const plan = planOf(null, 'null');
  const columns = plan.columns.map((column) => ({ ...column, requires: { models: ['writer'] } }));
  const usage = await readJournaledUsage({ ...plan, columns } as unknown as Plan, paths, [0]);
  expect(usage).toMatchObject({ writer: { requests: 2, failedRequests: 0, inputTokens: 2000, outputTokens: 0 } });
});

test('groups list the journaled calls of cells with `on_failure: abort`', async () => {
  write(0, [0, 'a', 0], [1, 'b', 0], [1, 'b', 1]);
  write(2, [20, 'b', 3]);
  const { cost, groups } = await readJournaledAnswers(planOf(null, 'abort'), GROUPS, { paths, partial: new Map() });
  expect(cost).toBe(0);
  expect(groups.map(({ journaledCalls }) => journaledCalls)).toEqual([['1/0/b', '1/1/b'], undefined, ['20/3/b']]);
});

test('groups list their failed cells', async () => {
  const failure = new DataDesignerError('run/worker-lost', {
    group: 2,
    rows: 4,
    losses: 4,
    reason: 'stopped',
  }).toWire();
  const journal = Journal.open(folderJournal(paths.journal(2)));
  await journal.failCell({ row: 21, column: 'a', failure });
  await journal.close({ keep: true });
  const { cost, groups } = await readJournaledAnswers(planOf(null, 'drop_row'), GROUPS, { paths, partial: new Map() });
  expect(cost).toBe(0);
  expect(groups).toEqual([...GROUPS.slice(0, 2), { ...GROUPS[2], failedCells: [{ row: 21, column: 'a', failure }] }]);
});

test('an unreadable journal is an error', async () => {
  await mkdir(join(paths.journal(0), '000001.journal'), { recursive: true });
  await expect(
    readJournaledAnswers(planOf(null, 'drop_row'), GROUPS, { paths, partial: new Map() }),
  ).rejects.toMatchObject({
    code: 'dataset/unwritable',
  });
});
