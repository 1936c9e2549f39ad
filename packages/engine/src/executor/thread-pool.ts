import type { MessagePort, Worker } from 'node:worker_threads';
import { DataDesignerError, messageOf } from '@data-designer/core';
import { BEAT_MS, THREAD_START_MS } from '@data-designer/gateway/worker';
import type { WorkerReport } from '../row-group/progress-reporter.ts';
import type { RowGroupTask } from '../row-group/row-group-maker.ts';
import { PoolThread, type TaskOutcome, type ThreadLimits } from './pool-thread.ts';

/** How often in a row the pool replaces its threads; a finished task or cell resets the count. */
const MAX_RESTARTS = 4;
/** The delay before the second replacement in a row; doubled each further time. */
const FIRST_DELAY_MS = 250;

const POOL_ENDED: TaskOutcome = { lost: { reason: 'the thread pool has been closed', hung: false, cell: undefined } };

/** The number of threads, and of open row groups in each. */
export interface PoolSize {
  readonly threads: number;
  readonly groupsPerThread: number;
}

/** A task in the queue. */
interface WaitingTask {
  readonly start: (thread: PoolThread) => void;
  readonly settle: (outcome: TaskOutcome) => void;
  readonly reject: (failure: DataDesignerError) => void;
}

/**
 * Worker threads with a queue of tasks. Replaces lost threads a bounded number of times in a row, then fails every task
 * with `run/workers-lost`. Returns the task of a lost thread as lost and does not repeat it.
 */
export class ThreadPool {
  #size: PoolSize;
  /** Receives the reports of the threads. */
  onReport: (report: WorkerReport) => void = () => {};
  /** Whether the threads have loaded plug-ins. */
  hasPlugins = false;
  readonly #limits: ThreadLimits;
  readonly #threads = new Set<PoolThread>();
  readonly #waiting: WaitingTask[] = [];
  readonly #restarts = new Set<NodeJS.Timeout>();
  readonly #watch: NodeJS.Timeout;
  /** Queued and running tasks. */
  #open = 0;
  /** Threads lost since the last progress, and the last reason. */
  #losses = 0;
  #reason = '';
  #idleLooks = 0;
  #isOver = false;
  #failure: DataDesignerError | undefined;

  /** Starts the threads. */
  constructor(size: PoolSize, limits: ThreadLimits) {
    this.#size = size;
    this.#limits = limits;
    this.#watch = setInterval(() => this.#look(), BEAT_MS).unref();
    this.#startMissing();
  }

  get size(): PoolSize {
    return this.#size;
  }

  /** Starts further threads up to a size. */
  grow(size: PoolSize): void {
    this.#size = size;
    this.#startMissing();
  }

  /** The current threads. */
  get threads(): readonly Worker[] {
    return Array.from(this.#threads, ({ worker }) => worker);
  }

  /** Whether the pool has given up. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Runs a task on the thread with the fewest tasks; rejects with `run/workers-lost`. */
  async run(
    task: RowGroupTask,
    { transferList = [] }: { readonly transferList?: readonly MessagePort[] } = {},
  ): Promise<TaskOutcome> {
    if (this.#failure) throw this.#failure;
    if (this.#isOver) return POOL_ENDED;
    this.#open++;
    // The timer keeps the process alive while a task is open, also without a thread.
    this.#watch.ref();
    try {
      const outcome = await new Promise<TaskOutcome>((resolve, reject) => {
        const start = (thread: PoolThread): void => void thread.run(task, transferList).then(resolve, reject);
        this.#waiting.push({ start, settle: resolve, reject });
        this.#dispatch();
      });
      if (!('lost' in outcome)) this.progressed();
      return outcome;
    } finally {
      if (--this.#open === 0) this.#watch.unref();
      this.#dispatch();
    }
  }

  /** Resets the count of losses after a finished task or cell. */
  progressed(): void {
    if (this.#losses === 0) return;
    this.#losses = 0;
    this.#startMissing();
  }

  /** Ends all threads; open tasks are lost. */
  async destroy(): Promise<void> {
    this.#isOver = true;
    this.#clear();
    for (const { settle } of this.#waiting.splice(0)) settle(POOL_ENDED);
    await Promise.all(Array.from(this.#threads, (thread) => thread.terminate()));
  }

  get #missing(): number {
    return this.#isOver || this.#failure ? 0 : this.#size.threads - this.#threads.size - this.#restarts.size;
  }

  #startMissing(): void {
    for (let missing = this.#missing; missing > 0; missing--) this.#start();
  }

  #clear(): void {
    clearInterval(this.#watch);
    for (const restart of this.#restarts) clearTimeout(restart);
    this.#restarts.clear();
  }

  #start(): void {
    try {
      const thread: PoolThread = new PoolThread(this.#limits, {
        onReady: () => this.#dispatch(),
        onReport: (report) => this.onReport(report),
        onEnd: (reason) => {
          this.#threads.delete(thread);
          this.#lose(reason);
        },
      });
      this.#threads.add(thread);
    } catch (thrown) {
      this.#lose(messageOf(thrown));
    }
  }

  #lose(reason: string): void {
    if (this.#isOver || this.#failure) return;
    this.#losses++;
    this.#reason = reason;
    const rounds = Math.ceil(this.#losses / this.#size.threads);
    if (rounds > MAX_RESTARTS) {
      if (this.#threads.size === 0 && this.#restarts.size === 0) this.#giveUp();
      return;
    }
    const restart = setTimeout(
      () => {
        this.#restarts.delete(restart);
        this.#start();
      },
      rounds === 1 ? 0 : FIRST_DELAY_MS * 2 ** (rounds - 2),
    );
    this.#restarts.add(restart);
  }

  #giveUp(): void {
    this.#failure = new DataDesignerError('run/workers-lost', { losses: this.#losses, reason: this.#reason });
    this.#clear();
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
    for (const thread of this.#threads) void thread.terminate();
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const free = [...this.#threads].filter((one) => one.isReady && one.openTasks < this.#size.groupsPerThread);
      if (free.length === 0) return;
      const thread = free.reduce((least, one) => (one.openTasks < least.openTasks ? one : least));
      this.#waiting.shift()?.start(thread);
    }
  }

  /** Ends blocked threads; gives up if tasks wait and no thread starts in time. */
  #look(): void {
    for (const thread of this.#threads) thread.look();
    const hasThread = [...this.#threads].some(({ isReady }) => isReady);
    this.#idleLooks = this.#open === 0 || hasThread ? 0 : this.#idleLooks + 1;
    if (this.#idleLooks * BEAT_MS < THREAD_START_MS) return;
    this.#reason ||= `no thread has started within ${THREAD_START_MS / 1000} s`;
    this.#giveUp();
  }
}
