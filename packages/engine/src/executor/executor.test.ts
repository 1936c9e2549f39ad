import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { customColumn } from '@data-designer/columns';
import { functionOfModule, type Plan, type RowGroup, rowGroups } from '@data-designer/core';
import { until } from '../../../gateway/test/until.ts';
import { expression, planOf, sampled } from '../../test/plan-of.ts';
import { GatewayHere, openRouter } from '../../test/run-here.ts';
import type { GroupProgress } from '../row-group/group-progress.ts';
import type { RowGroupResult } from '../row-group/row-group-result.ts';
import type { RunEvent } from '../run-event.ts';
import type { Executor, ExecutorOptions, GroupChannels } from './executor.ts';
import { openExecutor as openOnThreads } from './open-executor.ts';
import { WorkerPool } from './worker-pool.ts';

// Threads start slowly on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const pool = new WorkerPool();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'executor-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  vi.resetConfig();
});

/** Every implementation of `Executor`: each must pass all tests of this file. */
const EXECUTORS: Readonly<Record<string, (plan: Plan, options: ExecutorOptions) => Executor>> = {
  threads: (plan, options) => openOnThreads(plan, { ...options, pool }),
};

/** Channels to a gateway in this thread, which has no models and no tools. */
function channelsOf(plan: Plan): GroupChannels {
  const gateway = new GatewayHere(openRouter(plan, { models: [], tools: [] }));
  return {
    open: (group) => gateway.openGroup(group, null),
    destination: () => ({ kind: 'memory' }),
    redact: (value) => gateway.redact(value),
  };
}

const TOPIC = sampled('topic', 'category', { params: { values: ['moon', 'salt'] } });

/** Twelve rows in groups of three; a function in the worker thread makes the column `said`. */
function planWith(said?: string, rows = 12): Plan {
  const generate = said && functionOfModule(new URL('../../test/worker-functions.ts', import.meta.url).href, said);
  const column = generate
    ? {
        name: 'said',
        column_type: 'custom',
        generator_function: customColumn({ generate }),
        generator_params: { mark: mark() },
      }
    : expression('said', 'On {{ topic }}');
  return planOf({ columns: [TOPIC, column] }, { numRecords: rows, run: { bufferSize: 3 } });
}

function mark(): string {
  return join(folder, 'mark');
}

async function collect(results: AsyncIterable<RowGroupResult>): Promise<RowGroupResult[]> {
  const all = await Array.fromAsync(results);
  return all.toSorted((a, b) => a.group - b.group);
}

describe.each(Object.entries(EXECUTORS))('%s', (_, openExecutor) => {
  const events: RunEvent[] = [];
  const progress: GroupProgress[] = [];
  beforeEach(() => {
    events.length = 0;
    progress.length = 0;
  });
  const open = (plan: Plan): Executor =>
    openExecutor(plan, {
      groups: [...rowGroups(plan)].length,
      maxConcurrentRowGroups: 1,
      onEvent: (event) => events.push(event),
      onProgress: (groups) => progress.push(...groups),
    });

  test('makes every group once, with its rows', async () => {
    const plan = planWith();
    await using executor = open(plan);
    const results = await collect(executor.run(rowGroups(plan), channelsOf(plan)));
    expect(results.map(({ group, rows, unfinished }) => ({ group, rows, unfinished }))).toEqual(
      [0, 1, 2, 3].map((group) => ({ group, rows: 3, unfinished: 0 })),
    );
    expect(results.every(({ output }) => output && 'bytes' in output && output.bytes.length > 0)).toBe(true);
  });

  test('reports the progress of open groups', async () => {
    const plan = planWith('waitForever', 3);
    await using executor = open(plan);
    const making = collect(executor.run(rowGroups(plan), channelsOf(plan)));
    making.catch(() => {});
    await until(() => progress.length > 0);
    expect(progress[0]).toMatchObject({ group: 0, rows: 0, lost: 0, cells: { said: { made: 0, failed: 0 } } });
  });

  test('retries a group that lost its worker, and reports the loss', async () => {
    const plan = planWith('exitOnce');
    await using executor = open(plan);
    const results = await collect(executor.run(rowGroups(plan), channelsOf(plan)));
    expect(results.map(({ rows }) => rows)).toEqual([3, 3, 3, 3]);
    expect(events).toContainEqual({ type: 'worker-fail', group: expect.any(Number), reason: expect.any(String) });
  });

  test('fails with a named error when a group loses every worker', async () => {
    const plan = planWith('exitAlways', 3);
    await using executor = open(plan);
    const results = collect(executor.run(rowGroups(plan), channelsOf(plan))).then(
      ([result]) => result?.abandoned,
      (failure: unknown) => failure,
    );
    expect(await results).toMatchObject({ code: expect.stringMatching(/^run\/workers?-lost$/) });
  });

  test('ends open groups with run/aborted when disposed', async () => {
    const plan = planWith('waitForever', 3);
    const executor = open(plan);
    const making = collect(executor.run(rowGroups(plan), channelsOf(plan)));
    making.catch(() => {});
    await until(() => existsSync(mark()));
    await executor[Symbol.asyncDispose]();
    await expect(making).rejects.toMatchObject({ code: 'run/aborted' });
  });

  test('opens no further group during a drain and finishes the open ones', async () => {
    const plan = planWith(undefined, 300);
    const opened: number[] = [];
    let isDraining = false;
    const groups = function* (): Generator<RowGroup> {
      for (const group of rowGroups(plan)) {
        if (isDraining) return;
        opened.push(group.index);
        yield group;
      }
    };
    await using executor = open(plan);
    const finished: number[] = [];
    for await (const { group, rows } of executor.run(groups(), channelsOf(plan))) {
      isDraining = true;
      expect(rows).toBe(3);
      finished.push(group);
    }
    expect(finished.toSorted((a, b) => a - b)).toEqual(opened);
    expect(finished.length).toBeLessThan(100);
  });
});
