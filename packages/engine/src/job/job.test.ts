import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataDesignerError, NEVER } from '@data-designer/core';
import { recordStart } from '../commit/run-metadata.ts';
import { expression, planOf, sampled } from '../../test/plan-of.ts';
import type { RunEvent } from '../run-event.ts';
import { RunSummary } from '../run-summary.ts';
import { type Job, openJob } from './job.ts';
import type { MadeRows } from './row-source.ts';

const PLAN = planOf({ columns: [sampled('id', 'uuid', { params: {} }), expression('said', 'On {{ id }}')] });

let artifacts: string;
let events: RunEvent[];

beforeEach(() => {
  artifacts = mkdtempSync(join(tmpdir(), 'job-'));
  events = [];
});
afterEach(() => rmSync(artifacts, { recursive: true }));

const open = (resume: 'never' | 'always' = 'never', plan = PLAN, more: Partial<Parameters<typeof openJob>[1]> = {}) =>
  openJob(plan, {
    artifactPath: artifacts,
    datasetName: 'data',
    resume,
    seed: null,
    format: undefined,
    signal: NEVER,
    drain: NEVER,
    onEvent: (event) => void events.push(event),
    ...more,
  });
type OpenedJob = Awaited<ReturnType<typeof open>>;

/** What a source returns that has made so many rows. */
function made(rows: number, more: Partial<MadeRows> = {}): MadeRows {
  const summary = new RunSummary();
  summary.settleRows(rows);
  return { plan: PLAN, summary, isComplete: rows > 0, ...more };
}

const sourceOf = (rows: MadeRows) => ({ make: () => Promise.resolve(rows) });

async function makeAll(job: OpenedJob, rows: MadeRows): Promise<void> {
  await job.make(sourceOf(rows));
  await job.finish();
}

const folder = () => join(artifacts, 'data');
const metadata = (): unknown => JSON.parse(readFileSync(join(folder(), 'metadata.json'), 'utf8'));
const codeOf = (job: Pick<Job, 'result'>): unknown => {
  try {
    job.result();
  } catch (thrown) {
    return DataDesignerError.fromUnknown(thrown).code;
  }
  return undefined;
};

test('a job records the rows of its source in the metadata, and reports the end with its result', async () => {
  await using job = await open();
  job.keep();
  await makeAll(job, made(3));
  expect(metadata()).toMatchObject({ actual_num_records: 3, dataset_name: 'data' });
  expect(job.result()).toMatchObject({ path: folder(), datasetName: 'data', ended: undefined });
  expect(events.at(-1)).toMatchObject({ type: 'run-end', rows: 3, ended: null });
});

test('a new folder goes with the job that began nothing in it, and stays with the one that did', async () => {
  {
    await using job = await open();
    expect(existsSync(folder())).toBe(true);
    await expect(job.make({ make: () => Promise.reject(new Error('no source')) })).rejects.toThrow('no source');
  }
  expect(existsSync(folder())).toBe(false);
  {
    await using job = await open();
    job.keep();
  }
  expect(existsSync(folder())).toBe(true);
});

test('a job holds its folder until it is disposed', async () => {
  {
    await using job = await open();
    job.keep();
    await expect(open('always')).rejects.toMatchObject({ code: 'dataset/locked' });
  }
  await using again = await open('always');
  expect(again.folder.path).toBe(folder());
});

test('the end of a job without rows is the reason for it, unless a selection has its candidates to show', async () => {
  await using job = await open();
  const ended = new DataDesignerError('run/time-spent', { maxDurationSeconds: 1 });
  await makeAll(job, made(0));
  expect(codeOf(job)).toBe('run/no-rows');
  await makeAll(job, made(0, { ended }));
  expect(codeOf(job)).toBe('run/time-spent');
  const record = { candidates: 4, accepted: 0, refused: [] };
  await makeAll(job, made(0, { ended, selection: { record, lastGroup: 0, hasEmptyFiles: true } }));
  expect(job.result().ended).toBe(ended);
  expect(metadata()).toMatchObject({ selection: record });
});

test('a failure and a stop are thrown although there are rows, and other reasons are returned', async () => {
  await using job = await open();
  const ended = new DataDesignerError('run/time-spent', { maxDurationSeconds: 1 });
  const aborted = new DataDesignerError('run/aborted', { reason: 'stopped' });
  await makeAll(job, made(2, { ended, failure: ended }));
  expect(codeOf(job)).toBe('run/time-spent');
  await makeAll(job, made(2, { ended: aborted }));
  expect(codeOf(job)).toBe('run/aborted');
  expect(events.map(({ type }) => type)).not.toContain('run-end');
  await makeAll(job, made(2, { ended }));
  expect(job.result().ended).toBe(ended);
});

test('a dataset that was finished before is not finished again', async () => {
  await using job = await open();
  await makeAll(job, made(2, { isFinal: true }));
  expect(existsSync(join(folder(), 'metadata.json'))).toBe(false);
  expect(job.result().summary.rows).toBe(2);
});

test('a job that is stopped before it opens leaves no folder', async () => {
  const drain = AbortSignal.abort(new Error('stopped'));
  await expect(open('never', PLAN, { drain })).rejects.toMatchObject({ code: 'run/aborted' });
  expect(existsSync(folder())).toBe(false);
});

/** A finished dataset in Arrow files of ten rows, with these further keys in its metadata. */
async function finished(keys: object): Promise<void> {
  await using job = await open('never', PLAN, { format: 'arrow' });
  await recordStart(job.folder, { plan: job.plan, format: 'arrow', tools: {}, tables: [] }, {});
  job.keep();
  await makeAll(job, made(10));
  await job.folder.updateMetadata({ target_num_records: 10, ...keys });
}

test('a resume goes on in the format of the dataset, and makes unreadable metadata again', async () => {
  await finished({});
  truncateSync(join(folder(), 'metadata.json'), 5);
  await using job = await open('always');
  expect([job.options.format, job.prior?.plan.identity]).toEqual(['arrow', PLAN.identity]);
  expect(metadata()).toEqual({});
  expect(events.map(({ type }) => type)).toContain('metadata-derive');
});

test('no rows are added to a dataset that was processed as a whole', async () => {
  await finished({ post_generation_processed: true });
  const more = planOf(
    { columns: [sampled('id', 'uuid', { params: {} }), expression('said', 'On {{ id }}')] },
    { numRecords: 20 },
  );
  await expect(open('always', more)).rejects.toMatchObject({ code: 'dataset/terminal' });
});
