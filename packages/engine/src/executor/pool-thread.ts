import { createRequire } from 'node:module';
import type { MessagePort, ResourceLimits, Worker } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import {
  compileCacheEnvironment,
  DataDesignerError,
  messageOf,
  sourceExecArgv,
  threadEntry,
} from '@data-designer/core';
import { heartbeatMemory, HeartbeatWatch, type NotedCell, notedCell } from '@data-designer/gateway/worker';
import type { WorkerReport } from '../row-group/progress-reporter.ts';
import type { RowGroupTask } from '../row-group/row-group-maker.ts';
import type { WorkerAnswer } from '../row-group/row-group-result.ts';
import type { WorkerData, WorkerTask } from '../row-group/worker-entry.ts';

const require = createRequire(import.meta.url);

/** A worker's young generation, in MB: default heaps alone cost 630 MB over all threads. */
const YOUNG_GENERATION_MB = 16;
/** How long a terminated thread may take to end: native code cannot be interrupted. */
const LONGEST_END_MS = 5000;

/** Limits of the threads of a pool. */
export interface ThreadLimits {
  /** How long a thread may block its event loop before it is ended; 30 s unless given. */
  readonly silenceMs?: number;
  /** Further limits of a thread's heap. */
  readonly resourceLimits?: ResourceLimits;
}

/** Why a thread did not answer a task. */
export interface TaskLoss {
  readonly reason: string;
  /** Whether the thread blocked its event loop, and was ended for that. */
  readonly hung: boolean;
  /** The cell that the thread was making, in a serial replay. */
  readonly cell: NotedCell | undefined;
}

/** The outcome of a task: the worker's answer, or the loss of its thread. */
export type TaskOutcome = WorkerAnswer | { readonly lost: TaskLoss };

interface ThreadListener {
  readonly onReady: () => void;
  readonly onReport: (report: WorkerReport) => void;
  readonly onEnd: (reason: string) => void;
}

/**
 * One worker thread and its tasks: a Piscina that never starts a second thread, since `ThreadPool` decides how often lost
 * threads are replaced.
 */
export class PoolThread {
  readonly worker: Worker;
  /** Whether the thread has loaded and accepts tasks. */
  isReady = false;
  readonly #heartbeat = heartbeatMemory();
  readonly #watch: HeartbeatWatch;
  readonly #listener: ThreadListener;
  readonly #piscina: Piscina<WorkerTask, WorkerAnswer | undefined>;
  readonly #ended = Promise.withResolvers<void>();
  /** Settles the open tasks; one promise for all of them would retain their answers. */
  readonly #open = new Set<(outcome: TaskOutcome) => void>();
  #lost: TaskLoss | undefined;
  #ending: NodeJS.Timeout | undefined;
  #reason: string | undefined;
  #hung = false;

  /** Starts the thread; throws where the system has no room for one. */
  constructor({ silenceMs, resourceLimits }: ThreadLimits, listener: ThreadListener) {
    this.#watch = new HeartbeatWatch(this.#heartbeat, silenceMs);
    this.#listener = listener;
    // Loaded with the first thread, which a small run does not start.
    const { Piscina: Threads } = require('piscina') as typeof import('piscina');
    this.#piscina = new Threads({
      filename: threadEntry(import.meta.url, '../row-group/worker-entry').href,
      name: 'work' satisfies keyof typeof import('../row-group/worker-entry.ts'),
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: Infinity,
      concurrentTasksPerWorker: Number.MAX_SAFE_INTEGER,
      // A worker that waits for the gateway must keep its event loop; blocking waits are for synchronous tasks.
      atomics: 'disabled',
      recordTiming: false,
      env: compileCacheEnvironment(),
      execArgv: sourceExecArgv(import.meta.url),
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB, ...resourceLimits },
      workerData: { heartbeat: this.#heartbeat } satisfies WorkerData,
    });
    // A failure of an idle thread ends it; `exit` reports that.
    this.#piscina.on('error', () => {});
    this.#piscina.on('message', listener.onReport);
    this.#load();
    const [worker] = this.#piscina.threads;
    if (!worker) throw new DataDesignerError('internal/unexpected', { reason: 'a worker thread did not start' });
    this.worker = worker;
    worker.on('error', (error: Error) => (this.#reason ??= error.message));
    worker.on('exit', (code) => this.#end(`exit code ${code}`));
  }

  /** The number of open tasks. */
  get openTasks(): number {
    return this.#open.size;
  }

  /** Runs a task; rejects with `run/gateway-lost` where its channel has closed. */
  async run(task: RowGroupTask, ports: readonly MessagePort[]): Promise<TaskOutcome> {
    const { promise: ended, resolve } = Promise.withResolvers<TaskOutcome>();
    if (this.#lost) resolve({ lost: this.#lost });
    this.#open.add(resolve);
    try {
      const answer = this.#piscina.run(task, { transferList: [...ports] });
      return (await Promise.race([answer, ended])) ?? (await ended);
    } catch (thrown) {
      // A task is plain data, so only a port can be refused: the I/O thread at its other end has ended.
      if (thrown instanceof DOMException)
        throw new DataDesignerError('run/gateway-lost', { reason: thrown.message }, { cause: thrown });
      // Tasks return failures as data: a thread that throws is broken but may not exit by itself.
      this.#endFor(messageOf(thrown));
      return await ended;
    } finally {
      this.#open.delete(resolve);
    }
  }

  /** Ends the thread if its heartbeat has stopped. */
  look(): void {
    if (this.#watch.look() === 'alive' || this.#hung) return;
    this.#hung = true;
    this.#endFor(
      this.isReady
        ? `it did not respond for ${this.#watch.silenceMs / 1000} s`
        : 'it did not start within its time limit',
    );
  }

  /** Ends the thread; its tasks are lost. */
  async terminate(): Promise<void> {
    this.#endFor('it was ended');
    await this.#ended.promise;
  }

  /** The first task starts the thread and resolves once it has loaded. */
  #load(): void {
    this.#piscina.run('load').then(
      () => {
        if (this.#lost) return;
        this.isReady = true;
        this.#listener.onReady();
      },
      (thrown: unknown) => this.#endFor(messageOf(thrown)),
    );
  }

  #endFor(reason: string): void {
    if (this.#lost) return;
    this.#reason ??= reason;
    void this.worker.terminate();
    this.#ending ??= setTimeout(() => this.#end(reason), LONGEST_END_MS).unref();
  }

  #end(reason: string): void {
    if (this.#lost) return;
    clearTimeout(this.#ending);
    this.isReady = false;
    const lost = { reason: this.#reason ?? reason, hung: this.#hung, cell: notedCell(this.#heartbeat) };
    this.#lost = lost;
    for (const settle of this.#open) settle({ lost });
    this.#ended.resolve();
    this.#listener.onEnd(lost.reason);
    // Rejects the tasks in its queue.
    void this.#piscina.destroy();
  }
}
