import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { DataDesignerError, type Plan, type RowGroup, stringifyJson } from '@data-designer/core';
import { Piscina } from 'piscina';
import type { RowGroupResult, WorkerAnswer } from '../row-group/row-group-result.ts';
import type { RowGroupTask, WorkerData } from '../row-group/worker.ts';
import type { RunEvent } from '../run-event.ts';
import { sourceExecArgv, threadEntry } from '../thread-entry.ts';
import type { Executor, GroupDesks } from './executor.ts';
import { heartbeatMemory, HeartbeatWatch } from './heartbeat.ts';

/** Row groups open in one worker at a time where they wait for the outside, so that a slow row keeps nobody idle. */
const GROUPS_PER_WORKER = 3;
/** More threads than this gain nothing on one host. */
const MAX_THREADS = 8;
/** A worker's young generation, in MB: default heaps alone cost 630 MB over all threads (DESIGN, threads). */
const YOUNG_GENERATION_MB = 32;
/** A row group whose worker is lost is made again at most this often. */
const MAX_LOSSES = 3;

/** What the threads work with. */
export interface ThreadExecutorOptions {
  readonly groups: number;
  /** Row groups open at a time, at least. */
  readonly maxConcurrentRowGroups: number;
  readonly onEvent: (event: RunEvent) => void;
}

/** Makes row groups on a pool of worker threads, which start at once and load while the rest of a run is prepared. */
export class ThreadExecutor implements Executor {
  readonly #pool: Piscina<RowGroupTask, WorkerAnswer>;
  readonly #watch: HeartbeatWatch;
  readonly #options: ThreadExecutorOptions;
  readonly #openAtATime: number;
  #closed = false;

  constructor(plan: Plan, options: ThreadExecutorOptions) {
    const threads = Math.max(1, Math.min(availableParallelism() - 1, options.groups, MAX_THREADS));
    const wanted = Math.max(threads * GROUPS_PER_WORKER, options.maxConcurrentRowGroups);
    const perWorker = plan.resources.length > 0 ? Math.ceil(wanted / threads) : 1;
    const heartbeat = heartbeatMemory();
    this.#options = options;
    this.#openAtATime = threads * perWorker;
    this.#pool = new Piscina({
      filename: threadEntry(import.meta.url, '../row-group/worker').href,
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: perWorker,
      // A worker that waits for the gateway must keep its event loop; blocking waits are for synchronous tasks.
      atomics: 'disabled',
      env: {},
      execArgv: sourceExecArgv(import.meta.url),
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      workerData: { plan: stringifyJson(plan), heartbeat } satisfies WorkerData,
    });
    // A thread that fails while it is idle is replaced; its failure shows in the task that meets it.
    this.#pool.on('error', () => {});
    this.#watch = new HeartbeatWatch(heartbeat, () => this.threads);
  }

  /** The worker threads as they are now. */
  get threads(): readonly Worker[] {
    return this.#pool.threads;
  }

  async *run(groups: Iterable<RowGroup>, desks: GroupDesks): AsyncGenerator<RowGroupResult> {
    const ready: RowGroupResult[] = [];
    const open = new Set<Promise<void>>();
    const start = (group: RowGroup): void => {
      const work = this.#make(group, desks).then((result) => {
        ready.push(result);
        open.delete(work);
      });
      open.add(work);
    };
    for (const group of groups) {
      start(group);
      if (open.size >= this.#openAtATime) await Promise.race(open);
      yield* ready.splice(0);
    }
    while (open.size > 0) {
      await Promise.race(open);
      yield* ready.splice(0);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#watch[Symbol.dispose]();
    await this.#pool.destroy();
  }

  /** Makes one group, again if its worker is lost: what was paid for is answered from the journal. */
  async #make(group: RowGroup, desks: GroupDesks): Promise<RowGroupResult> {
    const { onEvent } = this.#options;
    for (let losses = 1; ; losses++) {
      const port = desks.open(group.index);
      const task = { group, port, destination: desks.destination(group.index) };
      try {
        // Without the signal: the pool gives a worker with an abortable task no other. Aborting ends the whole pool.
        return unwrap(await this.#pool.run(task, { transferList: [port] }));
      } catch (thrown) {
        if (thrown instanceof DataDesignerError || this.#closed) throw thrown;
        const reason = thrown instanceof Error ? thrown.message : String(thrown);
        if (losses >= MAX_LOSSES) {
          throw new DataDesignerError('run/worker-lost', { group: group.index, reason }, { cause: thrown });
        }
        onEvent({ type: 'worker-fail', group: group.index, reason });
      }
    }
  }
}

function unwrap(answer: WorkerAnswer): RowGroupResult {
  if ('failure' in answer) throw DataDesignerError.fromWire(answer.failure);
  return answer.result;
}
