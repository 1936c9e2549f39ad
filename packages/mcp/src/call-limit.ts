import { LONGEST_TIMER_MS, type ToolCallOptions } from './tool-session.ts';

/** The time limit of one call, which reports of its progress may extend. */
export class CallLimit {
  readonly #options: ToolCallOptions;
  readonly #late: (limitMs: number) => void;
  readonly #start = performance.now();
  #timer: NodeJS.Timeout;

  /** `late` is called once, with the limit that ended: the one between two reports, or the one of the whole call. */
  constructor(options: ToolCallOptions, late: (limitMs: number) => void) {
    this.#options = options;
    this.#late = late;
    this.#timer = this.#begin();
  }

  /** A report of progress: it extends the limit only if there is a limit for the whole call. */
  extend(): void {
    if (this.#options.longestMs === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = this.#begin();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #begin(): NodeJS.Timeout {
    const { timeoutMs, longestMs = Infinity } = this.#options;
    const leftMs = longestMs - (performance.now() - this.#start);
    const limitMs = timeoutMs <= leftMs ? timeoutMs : longestMs;
    return setTimeout(() => this.#late(limitMs), Math.max(0, Math.min(timeoutMs, leftMs, LONGEST_TIMER_MS)));
  }
}
