import { expect, test } from 'vitest';
import { DataDesignerError } from '@data-designer/core';
import type { RunEvent } from '@data-designer/engine';
import type { DatasetCreationResults } from '@data-designer/results';
import { Job } from './job.ts';
import { RunWarnings } from './run-warnings.ts';
import { watchJob } from './watch-job.ts';

type Options = Parameters<ConstructorParameters<typeof Job>[0]>[0];

/** A job whose run does what a test says. */
function jobOf({ resume = false } = {}) {
  const end = Promise.withResolvers<DatasetCreationResults>();
  let options!: Options;
  const make = (given: Options): Promise<DatasetCreationResults> => {
    options = given;
    return end.promise;
  };
  const job = new Job(make, { name: 'made', requested: 9, resume, warnings: new RunWarnings(['old']) });
  const tell = (event: object): void => options.onEvent(event as RunEvent);
  const start = (rowsDone = 0): void => tell({ type: 'run-start', path: '/data/made_1', rows: 8, rowsDone });
  return { job, end, tell, start, signals: () => [options.drain.aborted, options.signal.aborted] };
}

const lossOf = (row: number) => ({ rows: row, column: 'c', message: `m${row}`, code: 'model/rejected' });
const MADE = {
  path: '/data/made_1',
  datasetName: 'made_1',
  count: 7,
  requested: 8,
  cost: 3,
  lost: [lossOf(1)],
  ended: null,
  findings: { lost: [], failedCells: [], flaws: [], toolFailures: [], toolRecoveries: [], droppedTools: [] },
  describeLostRows: () => '1 lost row can be made again',
};
const RESULTS = MADE as unknown as DatasetCreationResults;

test('a job has the name that was asked for until its run has a folder', async () => {
  const { job, start, end } = jobOf();
  expect(job.state).toMatchObject({ dataset: 'made', folder: null, status: 'starting', requested: 9, records: 0 });
  expect([job.isOf('made'), job.hasEnded]).toEqual([false, false]);
  start(2);
  await job.started;
  expect(job.state).toMatchObject({ dataset: 'made_1', folder: '/data/made_1', status: 'running', requested: 8 });
  expect([job.state.records, job.isOf('made_1'), job.isOf('made')]).toEqual([2, true, false]);
  end.resolve(RESULTS);
  await job.ended;
  expect(job.state).toEqual({
    dataset: 'made_1',
    folder: '/data/made_1',
    status: 'complete',
    records: 7,
    requested: 8,
    lost: [{ rows: 1, column: 'c', message: 'm1' }],
    warnings: ['old', '1 lost row can be made again.'],
    cost: 3,
    seconds_left: null,
    error: null,
  });
  expect([job.hasEnded, job.failure]).toEqual([true, undefined]);
});

test('a job that continues a dataset is that of its name before it has started', () => {
  const { job } = jobOf({ resume: true });
  expect([job.isOf('made'), job.isOf('other')]).toEqual([true, false]);
});

test('the progress of a run is told, with whole seconds', () => {
  const { job, start, tell } = jobOf();
  start();
  const progress = (etaSeconds: number | null) =>
    tell({ type: 'progress', snapshot: { rows: { done: 5 }, cost: { soFar: 1.5 }, etaSeconds } });
  progress(2.2);
  expect(job.state).toMatchObject({ records: 5, cost: 1.5, seconds_left: 3 });
  progress(null);
  expect(job.state.seconds_left).toBeNull();
});

test('the first twenty reasons for lost rows are told', () => {
  const { job, start, tell } = jobOf();
  start();
  for (let row = 0; row < 11; row++)
    tell({ type: 'row-group-end', group: row, rows: 1, lost: [lossOf(2 * row), lossOf(2 * row + 1)] });
  expect(job.state.lost.map(({ rows }) => rows)).toEqual(Array.from({ length: 20 }, (_, row) => row));
});

test('a job that ends early says why', async () => {
  const { job, start, end } = jobOf();
  start();
  end.resolve({
    ...MADE,
    ended: { code: 'run/budget-spent', message: 'no more' },
  } as unknown as DatasetCreationResults);
  await job.ended;
  expect(job.state).toMatchObject({ status: 'stopped', error: '[run/budget-spent] no more', records: 7 });
});

test('a job that is stopped or fails keeps the records that are stored', async () => {
  const aborted = new DataDesignerError('run/aborted', { reason: 'enough' });
  for (const [failure, status] of [
    [aborted, 'stopped'],
    [new Error('a fault'), 'failed'],
  ] as const) {
    const { job, start, tell, end } = jobOf();
    start(2);
    tell({ type: 'row-group-end', group: 0, rows: 3, lost: [] });
    tell({ type: 'progress', snapshot: { rows: { done: 7 }, cost: { soFar: 0 }, etaSeconds: 9 } });
    end.reject(failure);
    await job.ended;
    expect(job.state).toMatchObject({ status, records: 5, seconds_left: null });
    expect(job.state.error).toMatch(/^\[[a-z/-]+\] /);
    expect([job.failure, job.hasEnded]).toEqual([undefined, true]);
  }
});

test('a job that fails before it has a folder has its failure, and has started', async () => {
  const { job, end } = jobOf();
  end.reject(new DataDesignerError('run/aborted', { reason: 'no' }));
  await job.started;
  expect(job.failure?.code).toBe('run/aborted');
});

test('a job is drained or stopped, and stays as it is once it has ended', async () => {
  const { job, start, end, signals } = jobOf();
  expect(signals()).toEqual([false, false]);
  job.drain('enough');
  expect([job.state.status, signals()]).toEqual(['stopping', [true, false]]);
  start();
  expect(job.state.status).toBe('stopping');
  job.stop('enough');
  expect(signals()).toEqual([true, true]);
  end.resolve(RESULTS);
  await job.ended;
  job.drain('again');
  expect(job.state.status).toBe('complete');
});

test('a watched job tells each number of records once, and its state at the end', async () => {
  const { job, start, end } = jobOf();
  start(2);
  const told: unknown[] = [];
  const progress = (...counts: unknown[]) => void told.push(counts);
  const signal = new AbortController().signal;
  await watchJob(job, 0, { signal, progress });
  expect(told).toEqual([[2, 8]]);
  const left = new AbortController();
  const leaving = watchJob(job, 50, { signal: left.signal, progress: () => left.abort() });
  expect(await leaving).toMatchObject({ status: 'running', cost: null });
  told.length = 0;
  const watched = watchJob(job, 50, { signal, progress });
  end.resolve(RESULTS);
  expect(await watched).toMatchObject({ status: 'complete', records: 7, cost: 3 });
  expect(told).toEqual([
    [2, 8],
    [7, 8],
  ]);
});
