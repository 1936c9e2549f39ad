import type { Worker } from 'node:worker_threads';
import type { ProgressMessage } from '../row-group/progress-reporter.ts';
import type { ThreadLimits } from './pool-thread.ts';
import { type PoolSize, ThreadPool } from './thread-pool.ts';

/** Threads as one run has them; given back when it ends. */
export interface LeasedThreads {
  readonly run: ThreadPool['run'];
  readonly threads: () => readonly Worker[];
  /** Told by the threads how far the row groups that are open in them have come, ten times a second at most each. */
  readonly onProgress: (listener: (message: ProgressMessage) => void) => void;
  /** Tells the pool that a cell was finished: threads that it loses from here on are replaced as at first. */
  readonly progressed: () => void;
  /** Ends the lease: threads that are idle wait for the next run, threads that still work are ended. */
  readonly end: (options: { readonly idle: boolean }) => Promise<void>;
}

/**
 * Worker threads that outlive a run, so that the next one finds them loaded and warm. They start when first asked for
 * and keep no process alive while idle. Runs side by side have threads of their own.
 */
export class WorkerPool implements AsyncDisposable {
  readonly #limits: ThreadLimits;
  #idle: ThreadPool | undefined;

  constructor(limits: ThreadLimits = {}) {
    this.#limits = limits;
  }

  /** Threads for one run, at least as many as are wanted; new ones have no more row groups open than that. */
  lease(wanted: PoolSize, { areNew = false }: { readonly areNew?: boolean } = {}): LeasedThreads {
    const pool = (areNew ? undefined : this.#takeIdle(wanted)) ?? new ThreadPool(wanted, this.#limits);
    return {
      run: pool.run.bind(pool),
      threads: () => pool.threads,
      onProgress: (listener) => (pool.onProgress = listener),
      progressed: () => pool.progressed(),
      end: async ({ idle }) => {
        pool.onProgress = () => {};
        if (idle && !this.#idle && !pool.hasFailed) this.#idle = pool;
        else await pool.destroy();
      },
    };
  }

  /** Ends the idle threads. */
  async [Symbol.asyncDispose](): Promise<void> {
    const idle = this.#idle;
    this.#idle = undefined;
    await idle?.destroy();
  }

  /** The idle threads if there are enough of them; too few are ended. */
  #takeIdle({ threads, groupsPerThread }: PoolSize): ThreadPool | undefined {
    const idle = this.#idle;
    this.#idle = undefined;
    if (!idle) return undefined;
    const { size, hasFailed } = idle;
    if (!hasFailed && size.threads >= threads && size.groupsPerThread >= groupsPerThread) return idle;
    void idle.destroy();
    return undefined;
  }
}
