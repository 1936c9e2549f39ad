import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { DataDesignerError, type Plan, type RowGroup, stringifyJson, type UserFunction } from '@data-designer/core';
import { mostOpenRows } from '@data-designer/gateway/worker';
import type { GroupProgress } from '../row-group/group-progress.ts';
import type { RowGroupResult, WorkerAnswer } from '../row-group/row-group-result.ts';
import type { ResumedGroup } from '../row-group/group-context.ts';
import type { RowGroupTask } from '../row-group/worker.ts';
import type { RunEvent } from '../run-event.ts';
import { limitHeapGrowth } from './bound-heaps.ts';
import { FunctionHost } from '../functions/function-host.ts';
import type { Executor, GroupChannels } from './executor.ts';
import { isolateCells, type Isolated, type Replay } from './isolate-cells.ts';
import { unfinishedGroup } from './left-group.ts';
import type { TaskLoss, TaskOutcome } from './pool-thread.ts';
import type { PoolSize } from './thread-pool.ts';
import type { LeasedThreads, WorkerPool } from './worker-pool.ts';

/** Row groups open in one worker at a time where they wait for the outside, so that a slow row keeps nobody idle. */
const GROUPS_PER_WORKER = 3;
/** More threads than this gain nothing on one host. */
const MAX_THREADS = 8;
/** More open groups than this cost more than the places that they would fill. */
const MAX_GROUPS = 1000;
/** After so many losses a row group is made alone on its thread: what others do to that must not count against it. */
const SHARED_LOSSES = 2;
/** A group that has more losses than this is left unfinished; they count anew once a cell is found that caused one. */
const MOST_LOSSES = 4;
/** A loss whose dry replay loses its thread, too, is worth two. */
const LOSS_WEIGHT = { clean: 1, unexplained: 2 } as const;
const NOWHERE = { kind: 'nowhere' } as const;

/** What the threads work with. */
export interface ThreadExecutorOptions {
  readonly pool: WorkerPool;
  readonly groups: number;
  /** Row groups open at a time, at least. */
  readonly maxConcurrentRowGroups: number;
  /** Folders whose files cells may name, beside the dataset's. */
  readonly mediaRoots?: readonly string[];
  readonly onEvent: (event: RunEvent) => void;
  /** The functions of the calling program that the plan's columns call, by their handles; none unless given. */
  readonly functions?: ReadonlyMap<string, UserFunction>;
  /** Told how far open row groups have come; must not throw. */
  readonly onProgress?: (groups: readonly GroupProgress[]) => void;
}

/** Makes row groups on a pool of worker threads, which start at once and load while the rest of a run is prepared. */
export class ThreadExecutor implements Executor {
  readonly #options: ThreadExecutorOptions;
  readonly #run = randomUUID();
  #plan: string;
  readonly #columns: readonly string[];
  readonly #size: PoolSize;
  readonly #threads: LeasedThreads;
  #lone: LeasedThreads | undefined;
  #redact: GroupChannels['redact'] | undefined;
  /** The most finished cells that open groups have had. */
  readonly #furthest = new Map<number, number>();
  #open = 0;
  #closed = false;
  readonly #functions: FunctionHost | undefined;

  constructor(plan: Plan, options: ThreadExecutorOptions) {
    this.#options = options;
    this.#plan = stringifyJson(plan);
    this.#columns = plan.columns.map(({ name }) => name);
    const { functions, onEvent } = options;
    this.#functions = functions?.size ? new FunctionHost(functions, onEvent) : undefined;
    limitHeapGrowth(plan);
    this.#size = poolSize(plan, options);
    this.#threads = this.#lease(this.#size);
  }

  /** The worker threads as they are now. */
  get threads(): readonly Worker[] {
    return this.#threads.threads();
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
      // A failure is met in the race below, also one that comes while the consumer is busy.
      work.catch(() => {});
      open.add(work);
    };
    const places = this.#size.threads * this.#size.groupsPerThread;
    const left = groups[Symbol.iterator]();
    for (let next = left.next(); ;) {
      for (; !next.done && open.size < places; next = left.next()) start(next.value);
      // Groups also end while the consumer is busy with an earlier one.
      const result = ready.shift();
      if (result) yield result;
      else if (open.size > 0) await Promise.race(open);
      else return;
    }
  }

  /** Leaves the threads to the next run, unless they still work on this one: then they are ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#lone?.end({ idle: false });
    await this.#threads.end({ idle: this.#open === 0 });
  }

  /**
   * Makes one group, again if its worker is lost: what was paid for is answered from the journal, and cells that cost it
   * the worker are found first. One that goes on losing its worker is left unfinished.
   */
  async #make(lost: ResumedGroup, channels: GroupChannels): Promise<RowGroupResult> {
    let group = lost;
    for (let losses = 0, weight = 0; ;) {
      const threads = weight < SHARED_LOSSES ? this.#threads : this.#loneThreads();
      const outcome = await this.#runTask({ group, ...this.#taskParts(group, channels) }, threads);
      if (!('lost' in outcome)) return unwrap(await redacted(outcome, channels));
      const { reason } = outcome.lost;
      this.#refuseClosed(reason);
      this.#options.onEvent({ type: 'worker-fail', group: group.index, reason });
      const isolated = await this.#isolate(group, channels);
      this.#refuseClosed(reason);
      group = isolated.group;
      losses++;
      weight = isolated.verdict === 'marked' ? 0 : weight + LOSS_WEIGHT[isolated.verdict];
      if (weight > MOST_LOSSES) return unfinishedGroup(group, losses, reason);
    }
  }

  #refuseClosed(reason: string): void {
    if (this.#closed) throw new DataDesignerError('run/aborted', { reason });
  }

  /** Replays a group that lost its worker from its journal, on a thread of its own. */
  async #isolate(group: ResumedGroup, channels: GroupChannels): Promise<Isolated> {
    const { recovery } = channels;
    if (!recovery) return { group, verdict: 'clean' };
    const replay = async ({ group: replayed, row }: Replay): Promise<TaskLoss | undefined> => {
      const port = await recovery.replay(group.index);
      // Nobody would end a thread that is leased from here on.
      if (this.#closed) {
        port.close();
        return undefined;
      }
      const serial = row === undefined ? {} : { row };
      const parts = { ...this.#sharedParts(channels, { isDryReplay: true }), port, destination: NOWHERE, serial };
      const outcome = await this.#runTask({ group: replayed, ...parts }, this.#loneThreads());
      return 'lost' in outcome ? outcome.lost : undefined;
    };
    const failedCells = await recovery.failedCells(group.index);
    const known = failedCells.length > 0 ? { ...group, failedCells } : group;
    return isolateCells(known, { recovery, columns: this.#columns, replay, isOver: () => this.#closed });
  }

  /** Threads with one group each: groups that share a worker are lost together, whichever of them is to blame. */
  #loneThreads(): LeasedThreads {
    const { threads, groupsPerThread } = this.#size;
    if (groupsPerThread === 1) return this.#threads;
    return (this.#lone ??= this.#lease({ threads, groupsPerThread: 1 }, { areNew: true }));
  }

  #lease(size: PoolSize, options: { readonly areNew?: boolean } = {}): LeasedThreads {
    const { pool, onProgress } = this.#options;
    const threads = pool.lease(size, options);
    threads.onProgress(({ run, groups }) => {
      if (run !== this.#run) return;
      if (groups.some((group) => this.#isFurther(group))) threads.progressed();
      if (!onProgress) return;
      const saysWhy = groups.some(({ reasons, fatal }) => reasons.length > 0 || fatal);
      if (!saysWhy || !this.#redact) onProgress(groups);
      // Where the gateway is lost the run ends, and nobody asks how far it has come.
      else this.#redact(groups).then(onProgress, () => {});
    });
    return threads;
  }

  /** Whether a group has more finished cells than ever: what it makes again after a loss is no progress. */
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
    const { mediaRoots } = this.#options;
    return { run: this.#run, plan: this.#plan, tables, folder, mediaRoots, functionPort: this.#functions?.open(use) };
  }

  async #runTask(task: RowGroupTask, threads: LeasedThreads): Promise<TaskOutcome> {
    const { port, functionPort } = task;
    this.#open++;
    try {
      return await threads.run(task, { transferList: functionPort ? [port, functionPort] : [port] });
    } finally {
      this.#open--;
      // Of a task that no thread took: an open port keeps the process alive. Ports that a thread took are closed here already.
      port.close();
      functionPort?.close();
    }
  }
}

/**
 * Threads for the groups there are. A plan that asks for something leaves one processor to the I/O thread; one that waits
 * for nothing uses them all, with one group open in each.
 */
function poolSize(plan: Plan, { groups, maxConcurrentRowGroups }: ThreadExecutorOptions): PoolSize {
  const asks = plan.resources.length > 0;
  const processors = availableParallelism() - (asks ? 1 : 0);
  const threads = Math.max(1, Math.min(processors, groups, MAX_THREADS));
  const wanted = Math.max(threads * GROUPS_PER_WORKER, maxConcurrentRowGroups, groupsForOpenRows(plan));
  return { threads, groupsPerThread: asks ? Math.ceil(wanted / threads) : 1 };
}

/** So many groups that as many rows can be open as the gateway admits, while the oldest group waits for its last ones. */
function groupsForOpenRows(plan: Plan): number {
  const rows = mostOpenRows(plan);
  const rowsPerGroup = Math.min(...plan.segments.map(({ groupSize }) => groupSize));
  return Math.min(MAX_GROUPS, 1 + Math.ceil(rows / rowsPerGroup));
}

/** What is said of failures, without secrets: a failure may quote an answer, and an answer a key. Rows stay as they are. */
async function redacted(answer: WorkerAnswer, { redact }: GroupChannels): Promise<WorkerAnswer> {
  if ('failure' in answer) return redact(answer);
  const { lost, fatal, failures } = answer.result;
  if (lost.length === 0 && failures.length === 0 && !fatal) return answer;
  return { result: { ...answer.result, ...(await redact({ lost, fatal, failures })) } };
}

function unwrap(answer: WorkerAnswer): RowGroupResult {
  if ('failure' in answer) throw DataDesignerError.fromWire(answer.failure);
  return answer.result;
}
