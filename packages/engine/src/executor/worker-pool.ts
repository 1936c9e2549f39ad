import type { Worker } from 'node:worker_threads';
import type { ProgressMessage } from '../row-group/progress-reporter.ts';
import type { ThreadLimits } from './pool-thread.ts';
import { type PoolSize, ThreadPool } from './thread-pool.ts';

/** The threads of one run. */
export interface LeasedThreads {
  readonly run: ThreadPool['run'];
  readonly threads: () => readonly Worker[];
  /** Listens to the progress of open row groups: at most ten messages a second from each thread. */
  readonly onProgress: (listener: (message: ProgressMessage) => void) => void;
  /** Resets the pool's count of lost threads, after a finished cell. */
  readonly progressed: () => void;
  /** Ends the lease: idle threads wait for the next run, others are ended. */
  readonly end: (options: { readonly idle: boolean }) => Promise<void>;
}

/**
 * Worker threads that outlive a run, so that the next one finds them loaded. They start on first use and do not keep the
 * process alive while idle. Concurrent runs have separate threads.
 */
export class WorkerPool implements AsyncDisposable {
  readonly #limits: ThreadLimits;
  #idle: ThreadPool | undefined;

  constructor(limits: ThreadLimits = {}) {
    this.#limits = limits;
  }

  /** Leases threads for one run, at least as many as wanted; `areNew` asks for exactly that size. */
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

  /** Takes the idle threads if there are enough; ends them otherwise. */
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
