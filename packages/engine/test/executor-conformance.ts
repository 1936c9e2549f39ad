import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, type TestOptions } from 'vitest';
import { customColumn } from '@data-designer/columns';
import { DataDesignerError, functionOfModule, type Plan, rowGroups } from '@data-designer/core';
import { openDatasetFolder, readDataset } from '@data-designer/dataset';
import { until } from '@data-designer/testing/until';
import { GroupCommits } from '../src/commit/group-commits.ts';
import { recordStart } from '../src/commit/run-metadata.ts';
import { RunEnding } from '../src/endings/run-ending.ts';
import type { Executor, ExecutorOptions, GroupChannels } from '../src/executor/executor.ts';
import type { SharedRun } from '../src/machines/run-machines.ts';
import { RunProgress } from '../src/progress/run-progress.ts';
import type { RowGroupResult } from '../src/row-group/row-group-result.ts';
import type { RunEvent } from '../src/run-event.ts';
import { RunSummary } from '../src/run-summary.ts';
import { expression, planOf, sampled } from './plan-of.ts';
import { GatewayHere, openRouter } from './run-here.ts';

/** A run that needs an executor, with the options of one for the threads of this machine. */
export interface ConformanceRun extends Omit<SharedRun, 'local'> {
  readonly threads: ExecutorOptions;
}

/** An implementation of `Executor`. */
export interface Implementation {
  /** The id of the run that the lock of the folder names; absent for a run on one machine. */
  readonly clusterRun?: string;
  readonly open: (run: ConformanceRun) => Promise<Executor>;
}

const TOPIC = sampled('topic', 'category', { params: { values: ['moon', 'salt'] } });
const FORMAT = 'parquet';
const ENDS = { maxDurationSeconds: null, errorRate: null };

/**
 * The conformance test of `Executor`, for one implementation; called once per run. The tests that lose threads, which start
 * slowly from their sources, may have tags.
 */
export function testExecutor(name: string, implementation: () => Implementation, ofLosses: TestOptions = {}): void {
  let folder: string;
  let events: RunEvent[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'executor-'));
    events = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const mark = (): string => join(folder, 'mark');
  const onEvent = (event: RunEvent): void => void events.push(event);

  /** Twelve rows in groups of three; a function in the worker thread makes the column `said`. */
  const planWith = (said?: string, rows = 12): Plan => {
    const generate = said && functionOfModule(new URL('worker-functions.ts', import.meta.url).href, said);
    const column = generate
      ? {
          name: 'said',
          column_type: 'custom',
          generator_function: customColumn({ generate }),
          generator_params: { mark: mark() },
        }
      : expression('said', 'On {{ topic }}');
    return planOf({ columns: [TOPIC, column] }, { numRecords: rows, run: { bufferSize: 3 } });
  };

  /** A run of the plan, as `make-row-groups.ts` has it, with its gateway in this thread. */
  const start = async (plan: Plan) => {
    const { clusterRun, open } = implementation();
    const dataset = await openDatasetFolder({
      artifactPath: folder,
      datasetName: 'made',
      resume: false,
      ...(clusterRun !== undefined && { clusterRun }),
    });
    const groups = [...rowGroups(plan)];
    const summary = new RunSummary();
    const progress = new RunProgress(plan, { summary, groups });
    const ending = new RunEnding(ENDS);
    const gateway = new GatewayHere(openRouter(plan, { models: [], tools: [] }));
    await recordStart(dataset, { plan, format: FORMAT, tools: {}, tables: [] }, {});
    const made = { plan, gateway, summary, progress, tables: [], voided: new Map<number, number>() };
    const executor = await open({
      ...made,
      groups,
      folder: dataset,
      ending,
      spentBefore: 0,
      options: { ends: ENDS, admission: null, maxConcurrentRowGroups: 1, format: FORMAT },
      threads: { groups: groups.length, maxConcurrentRowGroups: 1, onEvent, onProgress: progress.onProgress },
    });
    const commits = new GroupCommits({
      ...made,
      folder: dataset,
      format: FORMAT,
      tools: {},
      partial: new Map(),
      onEvent,
    });
    const opened: number[] = [];
    const channels: GroupChannels = {
      ...commits.channels,
      open: (group) => {
        opened.push(group);
        return commits.channels.open(group);
      },
    };
    /** Makes and commits the groups; the results in the order of the groups. */
    const make = async (given: GroupChannels = channels): Promise<readonly RowGroupResult[]> => {
      const results: RowGroupResult[] = [];
      const told = async function* (): AsyncGenerator<RowGroupResult> {
        for await (const result of executor.run(ending.untilReason(groups), given)) {
          results.push(result);
          yield result;
        }
      };
      await commits.take(ending.follow(told()));
      return results.toSorted((a, b) => a.group - b.group);
    };
    return {
      executor,
      channels,
      opened,
      progress,
      ending,
      make,
      rows: () => Array.fromAsync(readDataset(dataset.path)),
      [Symbol.asyncDispose]: async () => {
        ending[Symbol.dispose]();
        await executor[Symbol.asyncDispose]();
        await dataset[Symbol.asyncDispose]();
      },
    };
  };

  describe(`an executor: ${name}`, () => {
    test('makes every group once, with its rows', async () => {
      await using run = await start(planWith());
      const results = await run.make();
      expect(results.map(({ group, rows, unfinished }) => ({ group, rows, unfinished }))).toEqual(
        [0, 1, 2, 3].map((group) => ({ group, rows: 3, unfinished: 0 })),
      );
      expect(run.opened.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
      const topics = 'salt moon salt moon salt moon moon salt moon moon moon moon'.split(' ');
      expect(await run.rows()).toEqual(topics.map((topic) => ({ topic, said: `On ${topic}` })));
    });

    test('reports the progress of open groups', async () => {
      await using run = await start(planWith('waitForever', 3));
      run.make().catch(() => {});
      await until(() => run.progress.snapshot().groups.open > 0 && existsSync(mark()));
      expect(run.progress.snapshot()).toMatchObject({ rows: { done: 0 }, groups: { total: 1, done: 0, open: 1 } });
    });

    test('retries a group that lost its worker, and reports the loss', ofLosses, async () => {
      await using run = await start(planWith('exitOnce'));
      expect((await run.make()).map(({ rows }) => rows)).toEqual([3, 3, 3, 3]);
      expect(events).toContainEqual({ type: 'worker-fail', group: expect.any(Number), reason: expect.any(String) });
    });

    test('abandons a group that loses every worker, with a named error, and commits the others', ofLosses, async () => {
      await using run = await start(planWith('exitLater', 6));
      // Without a journal no cell is known as the cause.
      const { recovery: _, ...channels } = run.channels;
      const [made, lost] = await run.make(channels);
      expect(made).toMatchObject({ rows: 3, unfinished: 0 });
      expect(lost).toMatchObject({ rows: 0, unfinished: 3, abandoned: { code: 'run/worker-lost' } });
      expect(await run.rows()).toHaveLength(3);
    });

    test('ends with the failure of a group that is neither made nor abandoned', async () => {
      await using run = await start(planWith());
      const failure = new DataDesignerError('run/gateway-lost', { reason: 'by a test' });
      const open = (): never => {
        throw failure;
      };
      await expect(run.make({ ...run.channels, open })).rejects.toBe(failure);
    });

    test('ends open groups with run/aborted when disposed', async () => {
      const run = await start(planWith('waitForever', 3));
      const making = run.make();
      making.catch(() => {});
      await until(() => existsSync(mark()));
      await run[Symbol.asyncDispose]();
      await expect(making).rejects.toMatchObject({ code: 'run/aborted' });
    });

    test('opens no further group once the run ends, and finishes the open ones', async () => {
      await using run = await start(planWith(undefined, 300));
      const { ending, opened } = run;
      const open: GroupChannels['open'] = (group) => {
        ending.end(new DataDesignerError('run/aborted', { reason: 'by a test' }));
        return run.channels.open(group);
      };
      const results = await run.make({ ...run.channels, open });
      expect(results.map(({ rows, unfinished }) => ({ rows, unfinished }))).toEqual(
        opened.map(() => ({ rows: 3, unfinished: 0 })),
      );
      expect(results.map(({ group }) => group)).toEqual(opened.toSorted((a, b) => a - b));
      expect(opened.length).toBeLessThan(100);
    });
  });
}
