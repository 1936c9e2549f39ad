import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CellFailure, Plan } from '@data-designer/core';
import { noUsage } from '@data-designer/models';
import { planOf, sampled } from '../../test/plan-of.ts';
import { checkGroups } from './check-groups.ts';
import { refuseRetry, retryLostRows } from './retry-lost-rows.ts';
import { type DatasetFolder, openDatasetFolder } from '../../../dataset/src/dataset-folder.ts';
import { sumFile } from '../../../dataset/src/files/file-sum.ts';
import { folderJournal } from '../../../dataset/src/journal/folder-journal.ts';
import { FrameBuffer, placeKey } from '../../../dataset/src/journal/journal-file.ts';
import { ChecksumLog } from '../../../dataset/src/logs/checksums.ts';
import { FailureLog } from '../../../dataset/src/logs/failure-log.ts';
import { markPartial, readPartialGroup } from '../../../dataset/src/logs/partial-groups.ts';
import { UsageLog } from '../../../dataset/src/logs/usage-log.ts';
import { batchPath, writeDataFile } from '../../../dataset/test/data-files.ts';

const text = (name: string, prompt: string) => ({ name, column_type: 'llm-text', model_alias: 'writer', prompt });

/** Eight rows in groups of four: a draft, its score, and a mood that reads no answer. */
const PLAN = planOf(
  {
    model_configs: [{ alias: 'writer', model: 'm', provider: 'here', inference_parameters: {} }],
    columns: [
      sampled('id', 'uuid', { params: {} }),
      text('draft', 'Write {{ id }}'),
      text('score', 'Judge {{ draft }}'),
      text('mood', 'A mood for {{ id }}'),
    ],
  },
  { numRecords: 8, run: { bufferSize: 4 } },
);
const RESOURCE = PLAN.models['writer']?.resource ?? '';
/** The draft and its score are made in attempts. */
const TRIES: Plan = {
  ...PLAN,
  attempts: [
    {
      name: 'tries',
      columns: ['draft', 'score'],
      decision: 'score',
      keep: 'first',
      max: 2,
      onExhausted: 'drop_row',
      writes: [],
    },
  ],
};

let artifactPath: string;
let folder: DatasetFolder;

beforeEach(async () => {
  artifactPath = mkdtempSync(join(tmpdir(), 'retry-lost-rows-'));
  folder = await openDatasetFolder({ artifactPath, datasetName: 'data' });
});
afterEach(async () => {
  await folder[Symbol.asyncDispose]();
  rmSync(artifactPath, { recursive: true });
});

function failed(row: number, column: string, more: Partial<CellFailure> = {}): CellFailure {
  return { row, column, code: 'model/gave-up', message: 'no', onFailure: 'drop_row', messages: [], ...more };
}

/** Commits a row group with the failures that cost it rows; the usage log tells another number of rows if one is given. */
async function finish(group: number, failures: readonly CellFailure[] = [], told?: number): Promise<void> {
  const lost = new Set(failures.filter(({ onFailure }) => onFailure === 'drop_row').map(({ row }) => row)).size;
  const rows = 4 - lost;
  const path = batchPath(folder.paths, group);
  const columns = new Map(PLAN.fields.map(({ name }) => [name, Array.from({ length: rows }, () => 'cell')]));
  await writeDataFile(path, { fields: PLAN.fields, columns, rows });
  const { bytes, outside } = await sumFile(path);
  await new ChecksumLog(folder.paths).add([{ path, sum: { bytes, rows, crc32: outside } }]);
  await new FailureLog(folder.paths.failures).add(group, failures);
  const usage = { writer: { ...noUsage(), requests: 9 } };
  const reasons =
    lost > 0 ? [{ column: 'score', code: 'model/gave-up', message: 'no', rows: told ?? lost } as const] : [];
  await new UsageLog(folder.paths.usage).add(group, { usage, lost: reasons, failures });
}

/** Journals an answer for each of some cells, as `row/column`. */
async function journal(path: string, cells: readonly string[]): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const buffer = new FrameBuffer();
  for (const cell of cells) {
    const [row, column = ''] = cell.split('/');
    const at = { row: Number(row), column, call: 0, request: cell, status: 200, headers: {} };
    buffer.add({ ...at, body: '{"usage":{"prompt_tokens":5}}', resource: RESOURCE, path: 'chat/completions' });
  }
  const { segment } = folderJournal(path).open();
  segment.append(buffer.bytes);
  await segment.close();
}

const counts = (made: number, lost: number) => ({ made, failed: lost, passing: 0 });
const cellsIn = async (path: string) => (await folderJournal(path).read()).entries.map(placeKey);

async function retry(plan = PLAN) {
  const found = await checkGroups(folder.paths, [], {
    signal: new AbortController().signal,
    drain: new AbortController().signal,
  });
  return retryLostRows({ plan, folder, found, format: 'parquet' });
}

test('a finished group with lost rows is unfinished again, and says which rows are made', async () => {
  const failures = [failed(0, 'mood', { onFailure: 'null' }), failed(1, 'score'), failed(3, 'mood')];
  await finish(0, failures);
  await finish(1);
  await journal(folder.paths.lostJournal(0), ['1/draft']);
  expect(await retry()).toEqual({ rows: 2, boughtAgain: 0 });
  expect(await readPartialGroup(folder.paths, 0)).toMatchObject({
    cells: {},
    usage: { writer: { requests: 9 } },
    again: { rows: [1, 3], kept: 2, failures: [failures[0]], images: [] },
  });
  expect(await cellsIn(folder.paths.journal(0))).toEqual(['1/draft']);
  expect(existsSync(folder.paths.partialMark(1))).toBe(false);
  // After a crash a retry is repeated, and tells the same rows.
  expect(await retry()).toEqual({ rows: 2, boughtAgain: 0 });
  expect(await cellsIn(folder.paths.journal(0))).toEqual(['1/draft']);
});

test('without their journal the cells that were made before the failed one are paid for again, and counted', async () => {
  // A processor sees a row whose cells are all made, but for those that are null.
  await finish(0, [failed(1, 'score'), failed(2, 'mood'), failed(3, ''), failed(3, 'mood', { onFailure: 'null' })]);
  expect(await retry()).toEqual({ rows: 3, boughtAgain: 1 + 0 + 2 });
});

test('a row without an accepted attempt has all cells of the block made anew', async () => {
  await finish(0, [failed(1, 'tries', { code: 'attempts/exhausted' })]);
  await journal(folder.paths.lostJournal(0), ['1/draft', '1/score', '1/mood']);
  expect(await retry(TRIES)).toEqual({ rows: 1, boughtAgain: 0 });
  expect(await cellsIn(folder.paths.journal(0))).toEqual(['1/mood']);
});

test('the cells of a block that fail together are not among those that are paid for again', async () => {
  await finish(0, [failed(1, 'tries', { code: 'attempts/exhausted' })]);
  expect(await retry(TRIES)).toEqual({ rows: 1, boughtAgain: 0 });
});

test('a group whose logs do not tell its lost rows is refused, and nothing changes', async () => {
  await finish(0, [failed(1, 'score')]);
  await finish(1, [failed(5, 'score'), failed(6, 'score')], 3);
  await expect(retry()).rejects.toMatchObject({
    code: 'dataset/lost-rows-stay',
    message: expect.stringContaining('row group 1') as string,
  });
  expect([0, 1].map((group) => existsSync(folder.paths.partialMark(group)))).toEqual([false, false]);
});

test('in an unfinished group the cells that failed by their answers are made anew, and counted once', async () => {
  await finish(0);
  const failures = [
    failed(5, 'score'),
    failed(6, 'mood', { code: 'model/unprocessable' }),
    failed(7, 'score', { code: 'model/timed-out' }),
  ];
  await new FailureLog(folder.paths.failures).add(1, failures);
  const cells = { score: counts(1, 2), mood: counts(3, 1), draft: counts(4, 0) };
  await markPartial(folder.paths, 1, { cells, usage: {} });
  await journal(folder.paths.journal(1), ['5/draft', '5/score', '6/mood', '7/score']);
  expect(await retry()).toEqual({ rows: 2, boughtAgain: 0 });
  expect(await cellsIn(folder.paths.journal(1))).toEqual(['5/draft', '6/mood', '7/score']);
  const mark = await readPartialGroup(folder.paths, 1);
  expect(mark.cells).toEqual({ score: counts(1, 1), mood: counts(3, 0), draft: counts(4, 0) });
  const { finished, damaged } = { finished: new Set([0]), damaged: new Set<number>() };
  const logged = await new UsageLog(folder.paths.usage).read({ finished, damaged });
  expect(logged.filter(({ group }) => group === null)).toMatchObject([
    { usage: { writer: { requests: 1, inputTokens: 5 } } },
  ]);
});

test('datasets whose rows are not made one by one, or not by this tool, are refused by name', async () => {
  const own = { tools: {} } as Parameters<typeof refuseRetry>[1]['prior'];
  const refused = (plan: Partial<Plan>, prior = own) => refuseRetry({ ...PLAN, ...plan }, { folder, prior });
  await expect(refused({})).resolves.toBeUndefined();
  await expect(refused({ select: {} as NonNullable<Plan['select']> })).rejects.toThrow('the dataset has a selection');
  const python = 'NeMo Data Designer began it';
  await expect(refused({ layout: 'python' })).rejects.toThrow(python);
  await expect(refused({}, {} as typeof own)).rejects.toThrow(python);
  writeFileSync(folder.paths.metadata, JSON.stringify({ post_generation_processed: true }));
  await expect(refused({})).rejects.toThrow('a processor of stage after_generation');
});
