import zlib from 'node:zlib';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { noUsage } from '@data-designer/models';
import { NEVER } from '@data-designer/core';
import { expression, planOf, sampled } from '../../test/plan-of.ts';
import { groupsLeft, planOf as planToCarryOut } from './continue-run.ts';
import { Journal } from '../../../gateway/src/journal/journal.ts';
import { readRunRecord } from '../../../dataset/src/run-record.ts';
import { recordStart } from '../commit/run-metadata.ts';
import type { RunEvent } from '../run-event.ts';
import { RunSummary } from '../run-summary.ts';
import { type DatasetFolder, openDatasetFolder } from '../../../dataset/src/dataset-folder.ts';
import { FailureLog } from '../../../dataset/src/logs/failure-log.ts';
import { folderJournal, journaledGroups } from '../../../dataset/src/journal/folder-journal.ts';
import { markPartial } from '../../../dataset/src/logs/partial-groups.ts';
import { UsageLog } from '../../../dataset/src/logs/usage-log.ts';
import { ChecksumLog } from '../../../dataset/src/logs/checksums.ts';
import { batchPath, writeDataFile } from '../../../dataset/test/data-files.ts';

/** Ten rows in groups of four. */
const DOCUMENT = {
  columns: [
    sampled('topic', 'category', { params: { values: ['moon', 'salt'] } }),
    expression('said', 'On {{ topic }}'),
  ],
};
const PLAN = planOf(DOCUMENT, { run: { bufferSize: 4 } });
const NEW = { resume: 'always', seed: null, format: 'parquet', onEvent: () => {} } as const;

let artifactPath: string;
let folder: DatasetFolder;

beforeEach(async () => {
  artifactPath = mkdtempSync(join(tmpdir(), 'continue-run-'));
  folder = await openDatasetFolder({ artifactPath, datasetName: 'data' });
});
afterEach(async () => {
  await folder[Symbol.asyncDispose]();
  rmSync(artifactPath, { recursive: true });
});

const begin = (format: 'parquet' | 'arrow' = 'parquet') =>
  recordStart(folder, { format, tools: {}, plan: PLAN, tables: [] }, DOCUMENT);

async function commit(group: number, rows: number): Promise<void> {
  const cells = Array.from({ length: rows }, (_, row) => `cell ${row}`);
  const columns = new Map(PLAN.fields.map(({ name }) => [name, cells]));
  await writeDataFile(batchPath(folder.paths, group), { fields: PLAN.fields, columns, rows });
}

/** Commits a finished group: its checksum is logged, unlike that of an unfinished one. */
async function finish(group: number, rows: number): Promise<void> {
  await commit(group, rows);
  const path = batchPath(folder.paths, group);
  const bytes = readFileSync(path);
  await new ChecksumLog(folder.paths).add([{ path, sum: { bytes: bytes.length, rows, crc32: zlib.crc32(bytes) } }]);
}

/** Leaves an answer in the journal of a group. */
async function answer(group: number): Promise<void> {
  const journal = Journal.open(folderJournal(folder.paths.journal(group)));
  const asked = { resource: 'model/here/small', path: 'chat/completions', request: 'hash' } as const;
  journal.append({ row: group * 4, column: 'said', call: 0, status: 200, headers: {}, body: '{}', ...asked });
  await journal.close({ keep: true });
}

const usageOf = (requests: number) => ({ writer: { ...noUsage(), requests } });

/** Returns the groups still to make and the counts of earlier runs. */
async function left(isContinued: boolean, plan = PLAN) {
  const summary = new RunSummary();
  const events: RunEvent[] = [];
  const prior = isContinued ? await readRunRecord(folder.paths) : undefined;
  const onEvent = (event: RunEvent) => void events.push(event);
  const options = { format: 'parquet', reRequest: false, onEvent, signal: NEVER, drain: NEVER } as const;
  const { left: groups, partial } = await groupsLeft(plan, { folder, summary, prior, options });
  return { summary, events, groups: groups.map(({ index }) => index), partial };
}

test('a folder without a run record or rows starts a new run in every resume mode', async () => {
  for (const resume of ['never', 'always'] as const) {
    expect(await planToCarryOut(PLAN, folder, { ...NEW, resume })).toEqual({ plan: PLAN });
  }
  await begin();
  expect(await planToCarryOut(PLAN, folder, { ...NEW, resume: 'never' })).toEqual({ plan: PLAN });
  expect(await planToCarryOut(PLAN, folder, NEW)).toMatchObject({
    plan: { identity: PLAN.identity },
    prior: { format: 'parquet' },
  });
});

test('rows without a run record cannot be resumed', async () => {
  await commit(0, 4);
  await expect(planToCarryOut(PLAN, folder, NEW)).rejects.toMatchObject({ code: 'dataset/damaged' });
});

test('a dataset is resumed only in its own format', async () => {
  await begin('arrow');
  await expect(planToCarryOut(PLAN, folder, NEW)).rejects.toMatchObject({
    code: 'dataset/incompatible',
    message: expect.stringContaining('its files are arrow, not parquet'),
  });
});

test('a new run makes every group, and removes the half-written files of a killed one', async () => {
  const half = join(folder.paths.partialFiles, 'batch_00000.parquet');
  writeFileSync(half, 'half');
  const { groups, partial, summary } = await left(false);
  expect([groups, partial.size, summary.rows]).toEqual([[0, 1, 2], 0, 0]);
  expect(existsSync(half)).toBe(false);
});

test('a resume counts finished and unfinished groups, and removes journals, failures and files they do not need', async () => {
  await begin();
  const { paths } = folder;
  // The first group is finished, the second has three rows, the third was never committed.
  await finish(0, 4);
  await commit(1, 3);
  await markPartial(paths, 1, { cells: {}, usage: usageOf(20) });
  const usage = new UsageLog(paths.usage);
  const lost = [{ column: 'said', code: 'model/rejected', message: 'no', rows: 2 }] as const;
  const failures = new FailureLog(paths.failures);
  const failure = {
    column: 'said',
    code: 'model/rejected',
    message: 'no',
    onFailure: 'drop_row',
    messages: [],
  } as const;
  for (const group of [0, 1, 2]) {
    const failed = [
      { row: group * 4, ...failure },
      { row: group * 4 + 1, ...failure, onFailure: 'null' },
    ] as const;
    await failures.add(group, failed);
    if (group !== 1) await usage.add(group, { usage: usageOf(group === 0 ? 4 : 100), lost, failures: failed });
    await answer(group);
  }
  writeFileSync(join(paths.partialFiles, 'batch_00002.parquet'), 'half');

  const { groups, partial, summary, events } = await left(true);
  expect(groups).toEqual([1, 2]);
  expect([...partial.keys()]).toEqual([1]);
  expect([summary.rows, summary.finishedRows]).toEqual([7, 4]);
  expect(summary.pricedUsage(PLAN)).toMatchObject({ writer: { requests: 24 } });
  expect(await journaledGroups(paths.journals)).toEqual(new Set([1, 2]));
  const lines = readFileSync(paths.failures, 'utf8').trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { group: number }).group)).toEqual([0, 0]);
  const { code, message } = failure;
  expect(summary.lost).toEqual(lost);
  expect(summary.failedCells).toMatchObject([{ column: 'said', code, message, cells: 1 }]);
  expect(readdirSync(paths.partialFiles)).toEqual([]);
  expect(events).toEqual([]);
});

test('an unfinished group whose mark is lost stays unfinished, with its answers', async () => {
  await begin();
  const { paths } = folder;
  await finish(0, 4);
  await commit(1, 3);
  for (const group of [0, 1]) await answer(group);
  const { groups, partial } = await left(true);
  expect([groups, [...partial.keys()]]).toEqual([[1, 2], [1]]);
  expect(await journaledGroups(paths.journals)).toEqual(new Set([1]));
});

test('the missing file of a group that was paid for costs like a damaged one, and its usage counts', async () => {
  await begin();
  const { paths } = folder;
  for (const group of [0, 1, 2]) await finish(group, group === 2 ? 2 : 4);
  const usage = new UsageLog(paths.usage);
  const lost = [{ column: 'said', code: 'model/rejected', message: 'no', rows: 1 }] as const;
  for (const group of [0, 1]) await usage.add(group, { usage: usageOf(4), lost });
  // The third group made no request, and the answers of the second are in its journal.
  await answer(1);
  for (const group of [0, 1, 2]) rmSync(batchPath(paths, group));
  const { groups, summary, events } = await left(true);
  expect(groups).toEqual([0, 1, 2]);
  expect(events).toMatchObject([{ type: 'rows-damaged', files: ['parquet-files/batch_00000.parquet'], rows: 4 }]);
  expect(summary.pricedUsage(PLAN)).toMatchObject({ writer: { requests: 4 } });
  // Its rows are made again, so that none counts as lost.
  expect(summary.lost).toEqual([]);
});

test('usage that the log has lost is taken from metadata.json, and counts once', async () => {
  await begin();
  const { paths } = folder;
  const usage = new UsageLog(paths.usage);
  for (const group of [0, 1]) {
    await finish(group, 4);
    await usage.add(group, { usage: usageOf(5) });
  }
  await folder.updateMetadata({ usage: usageOf(10) });
  writeFileSync(paths.usage, readFileSync(paths.usage, 'utf8').replace('"requests":5', '"requests":9'));
  for (const events of [[{ type: 'usage-restore', requests: 5 }], []]) {
    const resumed = await left(true);
    expect(resumed.events).toMatchObject(events);
    expect(resumed.summary.pricedUsage(PLAN)).toMatchObject({ writer: { requests: 10 } });
  }
});

test('a damaged group whose answers are in its journal asks no model again, and any other one only if that is allowed', async () => {
  await begin();
  const asking = {
    ...PLAN,
    columns: PLAN.columns.map((column) => ({ ...column, requires: { ...column.requires, models: ['writer'] } })),
  };
  for (const group of [0, 1, 2]) await finish(group, group === 2 ? 2 : 4);
  truncateSync(batchPath(folder.paths, 0), 100);
  await expect(left(true, asking)).rejects.toMatchObject({ code: 'dataset/damaged-rows' });
  await answer(0);
  const { groups, events } = await left(true, asking);
  expect(groups).toEqual([0]);
  expect(events).toMatchObject([{ type: 'rows-damaged', rows: 4, cost: 0 }]);
});
