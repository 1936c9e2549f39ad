import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { noUsage } from '@data-designer/models';
import { FailureLog, readFailures } from './failure-log.ts';
import { UsageLog } from './usage-log.ts';

let folder: string;
let path: string;
let log: UsageLog;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'usage-log-'));
  path = join(folder, 'usage.jsonl');
  log = new UsageLog(path);
});

afterEach(() => rmSync(folder, { recursive: true }));

const took = (requests: number) => ({ usage: { writer: { ...noUsage(), requests } } });
const found = (finished: readonly number[], damaged: readonly number[] = []) => ({
  finished: new Set(finished),
  damaged: new Set(damaged),
});
const requests = async (groups: ReturnType<typeof found>) =>
  (await log.settle(groups)).counts.map(({ usage }) => usage.writer?.requests);

test('a group counts only if its file exists; usage without a group always counts', async () => {
  await log.add(null, took(1));
  await log.add(0, took(10));
  await log.add(1, took(20));
  expect(await requests(found([0]))).toEqual([1, 10]);
  // A group that is made again counts with its latest usage.
  await log.add(1, took(30));
  expect(await requests(found([0, 1]))).toEqual([1, 10, 30]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('the usage of a damaged group counts even if it is made again', async () => {
  await log.add(0, took(10));
  expect(await requests(found([], [0]))).toEqual([10]);
  await log.add(0, took(11));
  expect(await requests(found([0]))).toEqual([10, 11]);
  await log.add(0, took(12));
  expect(await requests(found([]))).toEqual([10]);
});

test('an incomplete line and a missing file are ignored', async () => {
  expect(await requests(found([0]))).toEqual([]);
  await log.add(0, took(10));
  const whole = readFileSync(path, 'utf8');
  writeFileSync(path, `${whole}${whole.slice(0, 40)}`);
  expect(await requests(found([0]))).toEqual([10]);
  expect(readFileSync(path, 'utf8')).toBe(whole);
});

test('tool usage is logged too', async () => {
  const tools = {
    look_up: {
      calls: 2,
      errors: 1,
      timeouts: 0,
      failures: { 'tool gone': 1 },
      bytes: 10,
      latency: [1, 1],
      longestMs: 5,
    },
  };
  await log.add(0, { usage: {}, tools });
  expect((await log.settle(found([0]))).counts).toEqual([{ group: 0, usage: {}, tools }]);
});

test('attempts are logged, also without usage, and those of damaged rows do not count', async () => {
  const attempts = { solve: { rows: 2, attempts: 3, failed: 0, accepted: [1, 1], exhausted: [] } };
  await log.add(0, { usage: {}, attempts });
  expect((await log.read(found([0]))).map((line) => line.attempts)).toEqual([attempts]);
  expect((await log.read(found([], [0]))).map((line) => line.attempts)).toEqual([undefined]);
});

test('nothing is written without usage', async () => {
  await log.add(0, { usage: {} });
  expect(existsSync(path)).toBe(false);
});

test('lost lines of failed cells are an error of readers until a resume has told them, and stay counted', async () => {
  const failures = [0, 1, 2].map((row) => failed(row));
  const failureLog = new FailureLog(join(folder, 'failures.jsonl'));
  await failureLog.add(0, failures);
  await log.add(0, { usage: {}, failures });
  expect(await Array.fromAsync(readFailures(folder))).toMatchObject([{ row: 0 }, { row: 1 }, { row: 2 }]);
  const whole = readFileSync(join(folder, 'failures.jsonl'), 'utf8');
  const withoutFirst = whole.slice(whole.indexOf('\n') + 1);
  for (const damaged of [whole.slice(0, -2), whole.replace('"row":1', '"row":7'), withoutFirst, '']) {
    writeFileSync(join(folder, 'failures.jsonl'), damaged);
    await expect(Array.fromAsync(readFailures(folder))).rejects.toMatchObject({ code: 'dataset/damaged' });
    const complete = (groups: readonly number[]) =>
      Array.fromAsync(readFailures(folder, { complete: new Set(groups) }));
    await expect(complete([0])).rejects.toMatchObject({ code: 'dataset/damaged' });
    expect((await complete([1])).length).toBeLessThan(3);
  }
  writeFileSync(join(folder, 'failures.jsonl'), whole.replace('"row":1', '"row":7'));
  const kept = await failureLog.keepOnly(new Set([0]));
  expect([...kept].map(([group, cells]) => [group, cells.map(({ row }) => row)])).toEqual([[0, [0, 2]]]);
  const { counts, lostFailures } = await log.settle(found([0]), kept);
  expect([lostFailures, counts[0]?.failed]).toMatchObject([1, [{ column: 'fact', rows: 3 }]]);
  expect(await Array.fromAsync(readFailures(folder))).toHaveLength(2);
  expect((await log.settle(found([0]), kept)).lostFailures).toBe(0);
});

test('failed cells count again where the usage log has lost the line of their group', async () => {
  const kept = new Map([[4, [failed(40)]]]);
  expect((await log.settle(found([4]), kept)).counts).toMatchObject([
    { group: 4, failed: [{ rows: 1 }], failureLines: 1 },
  ]);
});

function failed(row: number) {
  const failure = { column: 'fact', code: 'model/gave-up', message: 'It gave up.', onFailure: 'null' } as const;
  return { ...failure, row, messages: [] };
}
