import type { RowsMessage } from './awaited-group.ts';
import type { GroupProgress, GroupWatch } from './group-progress.ts';
import type { TasksMessage } from './task-steps.ts';

/** Ten times a second at most: more often than anybody reads it. */
const REPORT_EVERY_MS = 100;

/** A worker's report to its host: the progress of the row groups that are open in it. */
export interface ProgressMessage {
  readonly kind: 'progress';
  readonly run: string;
  readonly groups: readonly GroupProgress[];
}

/** The reports of a worker to its host. */
export type WorkerReport = ProgressMessage | TasksMessage | RowsMessage;

/** Reports the progress of a thread's open row groups while there are any, one message per run. */
export class ProgressReporter {
  readonly #send: (message: ProgressMessage) => void;
  readonly #open = new Map<() => GroupProgress, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (message: ProgressMessage) => void) {
    this.#send = send;
  }

  /** Samples a group until the returned watch is disposed. */
  watch(run: string, sample: () => GroupProgress): GroupWatch {
    this.#open.set(sample, run);
    this.#timer ??= setInterval(() => this.#report(), REPORT_EVERY_MS).unref();
    const report = () => this.#send({ kind: 'progress', run, groups: [sample()] });
    return { report, [Symbol.dispose]: () => this.#end(sample) };
  }

  #end(sample: () => GroupProgress): void {
    this.#open.delete(sample);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #report(): void {
    const byRun = Map.groupBy(this.#open, ([, run]) => run);
    for (const [run, samples] of byRun) {
      this.#send({ kind: 'progress', run, groups: samples.map(([sample]) => sample()) });
    }
  }
}
