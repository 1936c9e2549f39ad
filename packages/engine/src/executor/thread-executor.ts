import { availableParallelism } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { DataDesignerError, type Plan, type RowGroup, stringifyJson } from '@data-designer/core';
import { Piscina } from 'piscina';
import type { RowGroupResult, WorkerAnswer } from '../row-group/row-group-result.ts';
import type { RowGroupTask } from '../row-group/worker.ts';
import type { Destination } from '../row-group/write-batch.ts';
import { sourceExecArgv, threadEntry } from '../thread-entry.ts';
import type { Executor } from './executor.ts';

/** Row groups open in one worker at a time where they wait for the outside, so that a slow row keeps nobody idle. */
const GROUPS_PER_WORKER = 3;
/** More threads than this gain nothing on one host. */
const MAX_THREADS = 8;
/** A worker's young generation, in MB: default heaps alone cost 630 MB over all threads. */
const YOUNG_GENERATION_MB = 32;
/** A row group whose worker is lost is made again at most this often. */
const MAX_LOSSES = 3;

/** What the threads work with. */
export interface ThreadExecutorOptions {
  readonly plan: Plan;
  readonly groups: number;
  /** Opens a group's desk at the gateway and gives the worker's port. */
  readonly open: (group: number) => MessagePort;
  readonly destination: (group: number) => Destination;
  readonly signal: AbortSignal;
}

/** Makes row groups on a pool of worker threads. */
export class ThreadExecutor implements Executor {
  readonly #pool: Piscina<RowGroupTask, WorkerAnswer>;
  readonly #options: ThreadExecutorOptions;
  readonly #openAtATime: number;

  constructor(options: ThreadExecutorOptions) {
    const { plan, groups } = options;
    const threads = Math.max(1, Math.min(availableParallelism() - 1, groups, MAX_THREADS));
    const perWorker = plan.resources.length > 0 ? GROUPS_PER_WORKER : 1;
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
      workerData: { plan: stringifyJson(plan) },
    });
  }

  async *run(groups: Iterable<RowGroup>): AsyncGenerator<RowGroupResult> {
    const ready: RowGroupResult[] = [];
    const open = new Set<Promise<void>>();
    const start = (group: RowGroup): void => {
      const work = this.#make(group).then((result) => {
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
    await this.#pool.destroy();
  }

  /** Makes one group, again if its worker is lost: what was paid for is answered from the journal. */
  async #make(group: RowGroup): Promise<RowGroupResult> {
    for (let losses = 1; ; losses++) {
      const port = this.#options.open(group.index);
      const destination = this.#options.destination(group.index);
      const task = { group, port, destination };
      try {
        return unwrap(await this.#pool.run(task, { transferList: [port], signal: this.#options.signal }));
      } catch (thrown) {
        if (thrown instanceof DataDesignerError) throw thrown;
        this.#options.signal.throwIfAborted();
        const reason = thrown instanceof Error ? thrown.message : String(thrown);
        if (losses >= MAX_LOSSES)
          throw new DataDesignerError('run/worker-lost', { group: group.index, reason }, { cause: thrown });
      }
    }
  }
}

function unwrap(answer: WorkerAnswer): RowGroupResult {
  if ('failure' in answer) throw DataDesignerError.fromWire(answer.failure);
  return answer.result;
}
