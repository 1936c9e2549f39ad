import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { datasetPaths } from '@data-designer/dataset';
import { until } from '@data-designer/testing/until';
import { sampled, planOf } from '../../test/plan-of.ts';
import type { RunEvent } from '../run-event.ts';
import { RunSummary } from '../run-summary.ts';
import { endProgress, ProgressFile } from './progress-file.ts';
import { RunProgress } from './run-progress.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'progress-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function report(): RunEvent {
  const plan = planOf({ columns: [sampled('topic', 'category', { params: { values: ['moon'] } })] }, { numRecords: 3 });
  return { type: 'progress', snapshot: new RunProgress(plan, { summary: new RunSummary(), groups: [] }).snapshot() };
}

test('writes the process and the progress of a run, at most once a second, and leaves its rates at its end', async () => {
  const paths = datasetPaths(folder);
  const event = report();
  const file = new ProgressFile(paths);
  file.take({ type: 'merge-fail', reason: 'not a report' });
  expect(readdirSync(folder)).toEqual([]);
  file.take(event);
  await until(() => existsSync(paths.progress));
  const written = readFileSync(paths.progress, 'utf8');
  expect(JSON.parse(written)).toMatchObject({ pid: process.pid, host: hostname(), snapshot: { rows: { wanted: 3 } } });
  file.take(event);
  await file[Symbol.asyncDispose]();
  file.take(event);
  expect(readdirSync(folder)).toEqual(['rates.json']);
  expect(JSON.parse(readFileSync(paths.rates, 'utf8'))).toMatchObject([{ rows: 0, inFlight: 0 }]);
});

test('a run without a report leaves the rates of the run before it', async () => {
  const paths = datasetPaths(folder);
  writeFileSync(paths.rates, '[]');
  await new ProgressFile(paths)[Symbol.asyncDispose]();
  expect(readFileSync(paths.rates, 'utf8')).toBe('[]');
});

test('a folder that cannot be written does not end the run', async () => {
  const file = new ProgressFile(datasetPaths(join(folder, 'missing')));
  file.take(report());
  await file[Symbol.asyncDispose]();
  expect(readdirSync(folder)).toEqual([]);
});

test('what a killed run left becomes its rates where no row is left to make', async () => {
  const paths = datasetPaths(folder);
  const file = new ProgressFile(paths);
  file.take(report());
  await until(() => existsSync(paths.progress));
  await endProgress(paths);
  expect(readdirSync(folder)).toEqual(['rates.json']);
  expect(JSON.parse(readFileSync(paths.rates, 'utf8'))).toMatchObject([{ rows: 0, inFlight: 0 }]);
  await endProgress(paths);
  expect(readdirSync(folder)).toEqual(['rates.json']);
});
