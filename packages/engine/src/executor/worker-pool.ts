import type { ThreadLimits } from './pool-thread.ts';
import { type PoolSize, ThreadPool } from './thread-pool.ts';

/** How long the threads of a pool that has ended wait for the next pool. */
const LONGEST_IDLE_MS = 10_000;

/** The threads that wait for the next pool, and the timer that ends them. */
let warm: ThreadPool | undefined;
let ending: NodeJS.Timeout | undefined;
/** Takes the threads that became idle last from their pool: many programs never dispose theirs. */
let lend: (() => ThreadPool | undefined) | undefined;

/** Starts a thread for the next pool now, so that it loads while the run is prepared. It keeps no process alive. */
export function warmWorker(): void {
  warm ??= new ThreadPool({ threads: 1, groupsPerThread: 1 }, {});
}

/** Ends the threads that wait for the next pool. */
export async function endWarmWorkers(): Promise<void> {
  const threads = warm;
  clearTimeout(ending);
  warm = undefined;
  await threads?.destroy();
}

/** The warm threads, or the idle ones of another pool, and as many more as wanted; undefined if there is none. */
function takeShared(wanted: PoolSize): ThreadPool | undefined {
  const taken = warm ?? lend?.();
  clearTimeout(ending);
  warm = undefined;
  if (taken?.hasFailed) return undefined;
  taken?.grow(wanted);
  return taken;
}

/** Keeps idle threads for the next pool, for a while; false if others wait already. */
function keepWarm(threads: ThreadPool): boolean {
  if (warm || threads.hasFailed) return false;
  warm = threads;
  const end = (): void => {
    warm = undefined;
    void threads.destroy();
  };
  ending = setTimeout(end, LONGEST_IDLE_MS).unref();
  return true;
}

/**
 * Worker threads that outlive a run, so that the next one finds them loaded, also one of another pool. They start on first
 * use and do not keep the process alive while idle. Concurrent runs have separate threads.
 */
export class WorkerPool implements AsyncDisposable {
  readonly #limits: ThreadLimits;
  #idle: ThreadPool | undefined;

  constructor(limits: ThreadLimits = {}) {
    this.#limits = limits;
  }

  /** Leases threads for one run, at least as many as wanted; `areNew` asks for exactly that size. */
  lease(wanted: PoolSize, { areNew = false }: { readonly areNew?: boolean } = {}): ThreadPool {
    const started = areNew ? undefined : (this.#takeIdle(wanted) ?? (this.#hasLimits ? undefined : takeShared(wanted)));
    return started ?? new ThreadPool(wanted, this.#limits);
  }

  /** Ends a lease: idle threads wait for the next run, others are ended. */
  async release(threads: ThreadPool, { idle }: { readonly idle: boolean }): Promise<void> {
    threads.onReport = () => {};
    if (!idle || this.#idle || threads.hasFailed) return threads.destroy();
    this.#idle = threads;
    if (!this.#hasLimits && !threads.hasPlugins) lend = () => this.#lend();
  }

  /** Hands the idle threads to another pool, unless they have limits or code of users. */
  #lend(): ThreadPool | undefined {
    const idle = this.#idle;
    if (!idle || this.#hasLimits || idle.hasPlugins || idle.hasFailed) return undefined;
    this.#idle = undefined;
    return idle;
  }

  /** Leaves the idle threads to another pool for a while, unless they have limits or code of users. */
  async [Symbol.asyncDispose](): Promise<void> {
    const lent = this.#lend();
    const idle = lent ?? this.#idle;
    this.#idle = undefined;
    if (!lent || !keepWarm(lent)) await idle?.destroy();
  }

  get #hasLimits(): boolean {
    return Object.keys(this.#limits).length > 0;
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
