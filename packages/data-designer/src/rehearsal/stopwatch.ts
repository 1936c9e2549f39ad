/** How often the work is looked at. */
const LOOK_MS = 50;

/** What was done, in any unit that grows with the work, and the CPU of this process by then. */
interface Point {
  readonly done: number;
  readonly cpuMs: number;
}

/**
 * Wall time and CPU of a piece of work, all threads of this process. The CPU is that of warm code: what the second half
 * took, twice.
 */
export class Stopwatch implements Disposable {
  readonly #doneNow: () => number;
  readonly #points: Point[] = [];
  #timer: NodeJS.Timeout | undefined;
  #startedAt = 0;

  constructor(doneNow: () => number) {
    this.#doneNow = doneNow;
  }

  /** Begins, or begins anew. */
  start(): void {
    this[Symbol.dispose]();
    this.#points.splice(0, Infinity, this.#look());
    this.#timer = setInterval(() => this.#points.push(this.#look()), LOOK_MS);
    this.#startedAt = performance.now();
  }

  /** Ends the work; milliseconds. */
  stop(): { readonly wallMs: number; readonly cpuMs: number } {
    const wallMs = performance.now() - this.#startedAt;
    this[Symbol.dispose]();
    return { wallMs, cpuMs: warmCpuMs(this.#points, this.#look()) };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): Point {
    const { user, system } = process.cpuUsage();
    return { done: this.#doneNow(), cpuMs: (user + system) / 1000 };
  }
}

/** CPU of the whole as of its second half; of the whole as it was where nobody looked half-way. */
export function warmCpuMs(points: readonly Point[], end: Point): number {
  const [start = end] = points;
  const half = points.find(({ done }) => done - start.done >= (end.done - start.done) / 2);
  if (!half || end.done <= half.done) return end.cpuMs - start.cpuMs;
  return ((end.cpuMs - half.cpuMs) * (end.done - start.done)) / (end.done - half.done);
}
