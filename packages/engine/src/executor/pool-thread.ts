import { type MessagePort, type ResourceLimits, Worker } from 'node:worker_threads';
import type { ProgressMessage } from '../row-group/progress-teller.ts';
import type { WorkerAnswer } from '../row-group/row-group-result.ts';
import type { RowGroupTask, WorkerData, WorkerMessage, WorkerTask } from '../row-group/worker.ts';
import { sourceExecArgv, threadEntry } from '../thread-entry.ts';
import { heartbeatMemory, HeartbeatWatch, type NotedCell, notedCell } from './heartbeat.ts';

/** A worker's young generation, in MB: default heaps alone cost 630 MB over all threads. */
const YOUNG_GENERATION_MB = 32;
/** How long a thread that is terminated may take to end: native code cannot be interrupted. */
const LONGEST_END_MS = 5000;

/** Limits of the threads of a pool. */
export interface ThreadLimits {
  /** How long a thread may block its event loop before it is ended; 30 s unless given. */
  readonly silenceMs?: number;
  /** Limits of a thread's heap beside its young generation, which is small. */
  readonly resourceLimits?: ResourceLimits;
}

/** Why a thread did not answer a task. */
interface TaskLoss {
  readonly reason: string;
  /** Whether the thread blocked its event loop, and was ended for that. */
  readonly hung: boolean;
  /** The cell that the thread was making, where it made one at a time. */
  readonly cell: NotedCell | undefined;
}

/** What becomes of a task: the worker's answer, or its loss together with the thread. */
export type TaskOutcome = WorkerAnswer | { readonly lost: TaskLoss };

interface ThreadListener {
  readonly onReady: () => void;
  readonly onProgress: (message: ProgressMessage) => void;
  readonly onEnd: (reason: string) => void;
}

/** One worker thread, and the tasks that it works on. */
export class PoolThread {
  readonly worker: Worker;
  /** Whether it has loaded and takes tasks. */
  isReady = false;
  readonly #heartbeat = heartbeatMemory();
  readonly #watch: HeartbeatWatch;
  readonly #listener: ThreadListener;
  readonly #tasks = new Map<number, (outcome: TaskOutcome) => void>();
  readonly #ended = Promise.withResolvers<void>();
  #ending: NodeJS.Timeout | undefined;
  #nextTask = 0;
  #reason: string | undefined;
  #hung = false;
  #isOver = false;

  /** Starts the thread; throws where the system has no room for one. */
  constructor({ silenceMs, resourceLimits }: ThreadLimits, listener: ThreadListener) {
    this.#watch = new HeartbeatWatch(this.#heartbeat, silenceMs);
    this.#listener = listener;
    this.worker = new Worker(threadEntry(import.meta.url, '../row-group/worker-entry'), {
      env: {},
      execArgv: sourceExecArgv(import.meta.url),
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB, ...resourceLimits },
      workerData: { heartbeat: this.#heartbeat } satisfies WorkerData,
    });
    this.worker.on('message', (message: WorkerMessage) => this.#take(message));
    this.worker.on('messageerror', (error) => this.#endFor(`its message cannot be read: ${error.message}`));
    this.worker.on('error', (error: Error) => (this.#reason ??= error.message));
    this.worker.on('exit', (code) => this.#end(`exit code ${code}`));
    // After the listeners, which reference it. The pool keeps the process alive while tasks are open.
    this.worker.unref();
  }

  /** Tasks that it has not answered yet. */
  get openTasks(): number {
    return this.#tasks.size;
  }

  /** Gives it a task; rejects where that cannot cross threads. */
  async run(task: RowGroupTask, ports: readonly MessagePort[]): Promise<TaskOutcome> {
    const id = this.#nextTask++;
    this.worker.postMessage({ id, task } satisfies WorkerTask, ports);
    return new Promise((resolve) => this.#tasks.set(id, resolve));
  }

  /** Looks whether it still beats, and ends it otherwise. */
  look(): void {
    if (this.#watch.look() === 'alive' || this.#hung) return;
    this.#hung = true;
    this.#endFor(
      this.isReady ? `it gave no sign of life for ${this.#watch.silenceMs / 1000} s` : 'it did not start in time',
    );
  }

  /** Ends it; its tasks are lost. */
  async terminate(): Promise<void> {
    this.#endFor('it was ended');
    await this.#ended.promise;
  }

  #endFor(reason: string): void {
    if (this.#isOver) return;
    this.#reason ??= reason;
    void this.worker.terminate();
    this.#ending ??= setTimeout(() => this.#end(reason), LONGEST_END_MS).unref();
  }

  #take(message: WorkerMessage): void {
    if (message.kind === 'progress') return this.#listener.onProgress(message);
    if (message.kind === 'ready') {
      this.isReady = true;
      return this.#listener.onReady();
    }
    const settle = this.#tasks.get(message.id);
    this.#tasks.delete(message.id);
    settle?.(message.answer);
  }

  #end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#ending);
    this.isReady = false;
    const lost = { reason: this.#reason ?? reason, hung: this.#hung, cell: notedCell(this.#heartbeat) };
    this.#listener.onEnd(lost.reason);
    for (const settle of this.#tasks.values()) settle({ lost });
    this.#tasks.clear();
    this.#ended.resolve();
  }
}
