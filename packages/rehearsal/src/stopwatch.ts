/** The interval between samples. */
const SAMPLE_MS = 50;

/** The work done, in any unit that grows with it, and the CPU time of this process so far. */
interface Point {
  readonly done: number;
  readonly cpuMs: number;
}

/** Measures wall time and CPU time of work on all threads of this process; CPU time as for warm code: twice its second half. */
export class Stopwatch implements Disposable {
  readonly #doneNow: () => number;
  readonly #points: Point[] = [];
  #timer: NodeJS.Timeout | undefined;
  #startedAt = 0;

  constructor(doneNow: () => number) {
    this.#doneNow = doneNow;
  }

  /** Starts or restarts. */
  start(): void {
    this[Symbol.dispose]();
    this.#points.splice(0, Infinity, this.#sample());
    this.#timer = setInterval(() => this.#points.push(this.#sample()), SAMPLE_MS);
    this.#startedAt = performance.now();
  }

  /** Stops and returns milliseconds. */
  stop(): { readonly wallMs: number; readonly cpuMs: number } {
    const wallMs = performance.now() - this.#startedAt;
    this[Symbol.dispose]();
    return { wallMs, cpuMs: warmCpuMs(this.#points, this.#sample()) };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #sample(): Point {
    const { user, system } = process.cpuUsage();
    return { done: this.#doneNow(), cpuMs: (user + system) / 1000 };
  }
}

/** CPU time extrapolated from the second half of the work; the measured time if no sample lies in between. */
export function warmCpuMs(points: readonly Point[], end: Point): number {
  const [start = end] = points;
  const half = points.find(({ done }) => done - start.done >= (end.done - start.done) / 2);
  if (!half || end.done <= half.done) return end.cpuMs - start.cpuMs;
  return ((end.cpuMs - half.cpuMs) * (end.done - start.done)) / (end.done - half.done);
}
