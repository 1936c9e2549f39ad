import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { WorkerAnswer } from '../row-group/row-group-result.ts';
import type { RowGroupTask, WorkerData } from '../row-group/worker.ts';
import { sourceExecArgv, threadEntry } from '../thread-entry.ts';
import { heartbeatMemory, HeartbeatWatch } from './heartbeat.ts';

/** A worker's young generation, in MB: default heaps alone cost 630 MB over all threads (DESIGN, threads). */
const YOUNG_GENERATION_MB = 32;

type Pool = Piscina<RowGroupTask, WorkerAnswer>;

/** How many threads a run wants, and how many row groups each may have open. */
export interface PoolSize {
  readonly threads: number;
  readonly groupsPerThread: number;
}

/**
 * Worker threads that outlive a run, so that the next one finds them loaded and warm. They start at once when first
 * asked for, keep no process alive while idle, and are replaced when a run wants more of them or leaves work behind.
 */
export class WorkerPool implements AsyncDisposable {
  #pool: Pool | undefined;
  #watch: HeartbeatWatch | undefined;
  #size: PoolSize = { threads: 0, groupsPerThread: 0 };

  /** The pool, with at least as many threads and places as are wanted. */
  async open(wanted: PoolSize): Promise<Pool> {
    const { threads, groupsPerThread } = this.#size;
    if (this.#pool && threads >= wanted.threads && groupsPerThread >= wanted.groupsPerThread) return this.#pool;
    await this.discard();
    return this.#start(wanted);
  }

  /** The worker threads as they are now. */
  get threads(): readonly Worker[] {
    return this.#pool?.threads ?? [];
  }

  /** Ends the threads, whatever they do; the next run starts new ones. */
  async discard(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    this.#watch?.[Symbol.dispose]();
    await pool?.destroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.discard();
  }

  #start(size: PoolSize): Pool {
    const heartbeat = heartbeatMemory();
    const pool: Pool = new Piscina({
      filename: threadEntry(import.meta.url, '../row-group/worker').href,
      minThreads: size.threads,
      maxThreads: size.threads,
      concurrentTasksPerWorker: size.groupsPerThread,
      // A worker that waits for the gateway must keep its event loop; blocking waits are for synchronous tasks.
      atomics: 'disabled',
      env: {},
      execArgv: sourceExecArgv(import.meta.url),
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      workerData: { heartbeat } satisfies WorkerData,
    });
    // A thread that fails while it is idle is replaced; its failure shows in the task that meets it.
    pool.on('error', () => {});
    this.#pool = pool;
    this.#size = size;
    this.#watch = new HeartbeatWatch(heartbeat, () => this.threads);
    return pool;
  }
}
