import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { ProgressMessage } from '../row-group/progress-teller.ts';
import type { WorkerAnswer } from '../row-group/row-group-result.ts';
import type { RowGroupTask, WorkerData } from '../row-group/worker.ts';
import { sourceExecArgv, threadEntry } from '../thread-entry.ts';
import { heartbeatMemory, HeartbeatWatch } from './heartbeat.ts';

/** A worker's young generation, in MB: default heaps alone cost 630 MB over all threads. */
const YOUNG_GENERATION_MB = 32;

/** So long threads may take to load before they are ended all the same. */
const LONGEST_LOAD_MS = 10_000;

type Pool = Piscina<RowGroupTask, WorkerAnswer>;

/** How many threads a run wants, and how many row groups each may have open. */
export interface PoolSize {
  readonly threads: number;
  readonly groupsPerThread: number;
}

/** Threads as one run has them; given back when it ends. */
export interface LeasedThreads {
  readonly run: Pool['run'];
  readonly threads: () => readonly Worker[];
  /** Told by the threads how far the row groups that are open in them have come, ten times a second at most each. */
  readonly onProgress: (listener: (message: ProgressMessage) => void) => void;
  /** Ends the lease: threads that are idle wait for the next run, threads that still work are ended. */
  readonly end: (options: { readonly idle: boolean }) => Promise<void>;
}

interface Started {
  readonly pool: Pool;
  readonly size: PoolSize;
  readonly watch: HeartbeatWatch;
}

/**
 * Worker threads that outlive a run, so that the next one finds them loaded and warm. They start when first asked for
 * and keep no process alive while idle. Runs side by side have threads of their own.
 */
export class WorkerPool implements AsyncDisposable {
  #idle: Started | undefined;

  /** Threads for one run, at least as many as are wanted. */
  lease(wanted: PoolSize): LeasedThreads {
    const started = this.#takeIdle(wanted) ?? start(wanted);
    const { pool } = started;
    return {
      run: pool.run.bind(pool),
      threads: () => pool.threads,
      onProgress: (listener) => void pool.on('message', listener),
      end: async ({ idle }) => {
        pool.removeAllListeners('message');
        if (idle && !this.#idle) this.#idle = started;
        else await end(started);
      },
    };
  }

  /** Ends the idle threads. */
  async [Symbol.asyncDispose](): Promise<void> {
    const idle = this.#idle;
    this.#idle = undefined;
    if (idle) await end(idle);
  }

  /** The idle threads if there are enough of them; too few are ended. */
  #takeIdle(wanted: PoolSize): Started | undefined {
    const idle = this.#idle;
    this.#idle = undefined;
    if (!idle) return undefined;
    if (idle.size.threads >= wanted.threads && idle.size.groupsPerThread >= wanted.groupsPerThread) return idle;
    void end(idle);
    return undefined;
  }
}

async function end({ pool, watch }: Started): Promise<void> {
  watch[Symbol.dispose]();
  // A thread is not ended while the pool requires its entry: see worker-entry.ts.
  await watch.begun(LONGEST_LOAD_MS);
  await pool.destroy();
}

function start(size: PoolSize): Started {
  const heartbeat = heartbeatMemory();
  const pool: Pool = new Piscina({
    filename: threadEntry(import.meta.url, '../row-group/worker-entry').href,
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
  return { pool, size, watch: new HeartbeatWatch(heartbeat, () => pool.threads) };
}
