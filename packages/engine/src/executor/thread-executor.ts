import { randomUUID } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import { DataDesignerError, type Plan, type RowGroup, stringifyJson, toolsOf } from '@data-designer/core';
import { FunctionHost } from '../functions/function-host.ts';
import type { ResumedGroup } from '../row-group/group-context.ts';
import type { GroupProgress } from '../row-group/group-progress.ts';
import type { RowGroupResult } from '../row-group/row-group-result.ts';
import type { RowGroupTask } from '../row-group/row-group-maker.ts';
import { type Executor, type ExecutorOptions, type GroupChannels, redactedProgress, resultOf } from './executor.ts';
import { isolateCells, type IsolationOutcome, type Replay } from './isolate-cells.ts';
import type { TaskLoss, TaskOutcome } from './pool-thread.ts';
import type { PoolSize, ThreadPool } from './thread-pool.ts';
import { limitHeapGrowth, poolSize } from './thread-sizing.ts';
import type { WorkerPool } from './worker-pool.ts';

/** After this many losses a row group gets a thread of its own, so that other groups cannot cost it further ones. */
const SHARED_LOSSES = 2;
/** A group with more losses is abandoned; the count starts again once a cell is found that caused a loss. */
const MAX_LOSSES = 4;
/** A loss whose dry replay loses its thread too counts twice. */
const LOSS_WEIGHT = { clean: 1, unexplained: 2 } as const;
const NOWHERE = { kind: 'nowhere' } as const;

/** The options of an executor, and the threads it uses. */
export interface ThreadExecutorOptions extends ExecutorOptions {
  readonly pool: WorkerPool;
}

/** Runs row groups on a pool of worker threads, which load while the run is prepared. */
export class ThreadExecutor implements Executor {
  readonly #options: ThreadExecutorOptions;
  readonly #run = randomUUID();
  #plan: string;
  readonly #columns: readonly string[];
  readonly #hasPlugins: boolean;
  readonly #size: PoolSize;
  readonly #threads: ThreadPool;
  /** Threads with one group each. */
  #dedicated: ThreadPool | undefined;
  #redact: GroupChannels['redact'] | undefined;
  /** The most finished cells that each open group had. */
  readonly #furthest = new Map<number, number>();
  #open = 0;
  #closed = false;
  readonly #functions: FunctionHost | undefined;

  constructor(plan: Plan, options: ThreadExecutorOptions) {
    this.#options = options;
    this.#plan = stringifyJson(plan);
    this.#columns = plan.columns.map(({ name }) => name);
    this.#hasPlugins = (plan.plugins ?? []).length > 0;
    const { functions, onEvent } = options;
    this.#functions = functions?.size ? new FunctionHost(functions, onEvent) : undefined;
    limitHeapGrowth(plan);
    this.#size = poolSize(plan, options);
    this.#threads = this.#lease(this.#size);
  }

  /** The current worker threads. */
  get threads(): readonly Worker[] {
    return this.#threads.threads;
  }

  get slots(): number {
    return this.#size.threads * this.#size.groupsPerThread;
  }

  async *run(groups: Iterable<RowGroup>, channels: GroupChannels): AsyncGenerator<RowGroupResult> {
    if (channels.plan) this.#plan = stringifyJson(channels.plan);
    this.#redact = channels.redact;
    const ready: RowGroupResult[] = [];
    const open = new Set<Promise<void>>();
    const start = (group: RowGroup): void => {
      const work = this.#make(group, channels).then((result) => {
        this.#furthest.delete(group.index);
        ready.push(result);
        open.delete(work);
      });
      // The race below handles a failure, also one that comes while the consumer is busy.
      work.catch(() => {});
      open.add(work);
    };
    const left = groups[Symbol.iterator]();
    for (let next = left.next(); ;) {
      for (; !next.done && open.size < this.slots; next = left.next()) start(next.value);
      // Groups also end while the consumer is busy with an earlier one.
      const result = ready.shift();
      if (result) yield result;
      else if (open.size > 0) await Promise.race(open);
      else return;
    }
  }

  /** Leaves idle threads to the next run; ends threads that still work on this one. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const { pool } = this.#options;
    if (this.#dedicated) await pool.release(this.#dedicated, { idle: false });
    await pool.release(this.#threads, { idle: this.#open === 0 });
  }

  /**
   * Makes one group. If its worker is lost, finds the cells that caused it and makes the group again with journaled answers;
   * abandons a group that keeps losing its worker.
   */
  async #make(lost: ResumedGroup, channels: GroupChannels): Promise<RowGroupResult> {
    let group = lost;
    for (let losses = 0, weight = 0; ;) {
      const threads = weight < SHARED_LOSSES ? this.#threads : this.#dedicatedThreads();
      const outcome = await this.#runTask({ group, ...this.#taskParts(group, channels) }, threads);
      if (!('lost' in outcome)) return resultOf(outcome, channels);
      const { reason } = outcome.lost;
      this.#refuseClosed(reason);
      this.#options.onEvent({ type: 'worker-fail', group: group.index, reason });
      const isolated = await this.#isolate(group, channels);
      this.#refuseClosed(reason);
      group = isolated.group;
      losses++;
      weight = isolated.verdict === 'marked' ? 0 : weight + LOSS_WEIGHT[isolated.verdict];
      if (weight > MAX_LOSSES) return abandonedGroup(group, losses, reason);
    }
  }

  #refuseClosed(reason: string): void {
    if (this.#closed) throw new DataDesignerError('run/aborted', { reason });
  }

  /** Replays a group that lost its worker from its journal, on a dedicated thread. */
  async #isolate(group: ResumedGroup, channels: GroupChannels): Promise<IsolationOutcome> {
    const { recovery } = channels;
    if (!recovery) return { group, verdict: 'clean' };
    const replay = async ({ group: replayed, row }: Replay): Promise<TaskLoss | undefined> => {
      const port = await recovery.replay(group.index);
      // A thread leased after closing would never be ended.
      if (this.#closed) {
        port.close();
        return undefined;
      }
      const serial = row === undefined ? {} : { row };
      const parts = { ...this.#sharedParts(channels, { isDryReplay: true }), port, destination: NOWHERE, serial };
      const outcome = await this.#runTask({ group: replayed, ...parts }, this.#dedicatedThreads());
      return 'lost' in outcome ? outcome.lost : undefined;
    };
    const failedCells = await recovery.failedCells(group.index);
    const known = failedCells.length > 0 ? { ...group, failedCells } : group;
    // The threads that a found cell has cost are no sign that none can be had.
    const onMarked = () => [this.#threads, this.#dedicatedThreads()].forEach((threads) => threads.progressed());
    return isolateCells(known, { recovery, columns: this.#columns, replay, onMarked, isOver: () => this.#closed });
  }

  /** Threads with one group each: groups that share a thread are lost together, whichever of them caused it. */
  #dedicatedThreads(): ThreadPool {
    const { threads, groupsPerThread } = this.#size;
    if (groupsPerThread === 1) return this.#threads;
    return (this.#dedicated ??= this.#lease({ threads, groupsPerThread: 1 }, { areNew: true }));
  }

  #lease(size: PoolSize, options: { readonly areNew?: boolean } = {}): ThreadPool {
    const { pool, onProgress, observer } = this.#options;
    const threads = pool.lease(size, options);
    threads.hasPlugins ||= this.#hasPlugins;
    threads.onReport = (report) => {
      if (report.run !== this.#run) return;
      if (report.kind === 'tasks') return observer?.onSteps?.(report.steps);
      if (report.kind === 'rows') return observer?.readers?.onRows(report.rows);
      const { groups } = report;
      if (groups.some((group) => this.#isFurther(group))) threads.progressed();
      if (onProgress) redactedProgress(groups, this.#redact, onProgress);
    };
    return threads;
  }

  /** Whether a group has more finished cells than before: cells made again after a loss are no progress. */
  #isFurther({ group, cells }: GroupProgress): boolean {
    const finished = Object.values(cells).reduce((sum, { made, failed, passing }) => sum + made + failed + passing, 0);
    if (finished <= (this.#furthest.get(group) ?? 0)) return false;
    this.#furthest.set(group, finished);
    return true;
  }

  #taskParts({ index }: RowGroup, channels: GroupChannels): Omit<RowGroupTask, 'group'> {
    const destination = channels.destination(index);
    const port = channels.open(index);
    return { ...this.#sharedParts(channels, { isDryReplay: destination.kind === 'nowhere' }), port, destination };
  }

  #sharedParts({ tables = [], folder }: GroupChannels, use: { readonly isDryReplay: boolean }) {
    const { mediaRoots, observer, localTools = [] } = this.#options;
    const functionTools = new Set(localTools.map(({ name }) => toolsOf(name)));
    const functionPort = this.#functions?.open(use);
    const recordsCalls = observer?.onCalls !== undefined;
    const reportsSteps = observer?.onSteps !== undefined && !use.isDryReplay;
    const awaited = observer?.readers?.awaited;
    const parts = { tables, folder, mediaRoots, functionPort, functionTools, recordsCalls, reportsSteps, awaited };
    return { run: this.#run, plan: this.#plan, ...parts };
  }

  async #runTask(task: RowGroupTask, threads: ThreadPool): Promise<TaskOutcome> {
    const { port, functionPort } = task;
    this.#open++;
    try {
      return await threads.run(task, { transferList: functionPort ? [port, functionPort] : [port] });
    } finally {
      this.#open--;
      // The ports of a task that no thread took: an open port keeps the process alive.
      port.close();
      functionPort?.close();
    }
  }
}

/** The result of a row group that lost its worker too often, with the reason of the last loss. */
function abandonedGroup({ index, rows }: RowGroup, losses: number, reason: string): RowGroupResult {
  const abandoned = new DataDesignerError('run/worker-lost', { group: index, rows, losses, reason }).toWire();
  const nothing = { rows: 0, lost: [], cells: {}, failures: [], usage: {}, tools: {}, orphanedImages: [] };
  return { ...nothing, group: index, unfinished: rows, abandoned, output: undefined };
}
