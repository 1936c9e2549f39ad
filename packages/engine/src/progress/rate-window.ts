/** The window of a rate. */
const SPAN_MS = 30_000;
/** The least distance of samples. */
const STEP_MS = 500;
/** More samples, of a very slow run, are thinned out. */
const MOST_SAMPLES = 500;
/** Growth within this share of the wait before it is one step: requests that were sent together are answered nearly together. */
const TOGETHER = 1 / 8;

/** With more steps than this, growth counts from the first step instead of the begin. */
const STEPS_FOR_A_START = 2;

interface Sample {
  readonly time: number;
  readonly total: number;
}

/** A count that has just grown, and when the step began. */
interface Step extends Sample {
  readonly since: number;
}

/** How a count grew between two finished steps. */
export interface Growth {
  readonly first: Sample;
  readonly last: Sample;
  /** The longest time of a step, with the wait before it. */
  readonly longestMs: number;
  readonly meanMs: number;
}

/** The rate of a count over the last 30 seconds, or longer where it grew by less than `atLeast`. */
export class RateWindow {
  readonly #atLeast: number;
  #steps: Step[];
  #now: number;

  constructor({ time, total }: Sample, { atLeast = 0 }: { readonly atLeast?: number } = {}) {
    this.#atLeast = atLeast;
    this.#steps = [{ since: time, time, total }];
    this.#now = time;
  }

  /** Adds a sample; times are in ms and never go back. */
  add(time: number, total: number): void {
    this.#now = time;
    if (total !== this.#steps.at(-1)?.total) this.#grow(time, total);
    while (this.#steps.length > 1 && this.#isEnough(this.#steps[1] as Step)) this.#steps.shift();
    if (this.#steps.length > MOST_SAMPLES) this.#steps = this.#steps.filter((_, index) => index % 2 === 0);
  }

  /** Per second, from the first step until now; 0 where the count fell, as it does when work is done again. */
  get perSecond(): number {
    const first = this.#steps[0] as Step;
    const last = this.#steps.at(-1) as Step;
    if (this.#now <= first.time) return 0;
    return (Math.max(0, last.total - first.total) / (this.#now - first.time)) * 1000;
  }

  /** The growth by finished steps, which answers that come in waves do not distort; undefined before the first. */
  get growth(): Growth | undefined {
    const isOpen = this.#now - (this.#steps.at(-1)?.since ?? 0) < this.#stepMs;
    const finished = isOpen ? this.#steps.slice(0, -1) : this.#steps;
    // The first requests wait for connections too.
    const [first, ...more] = finished.length > STEPS_FOR_A_START ? finished.slice(1) : finished;
    const last = more.at(-1);
    if (!first || !last || last.total <= first.total) return undefined;
    const times = more.map(({ time }, at) => time - (more[at - 1] ?? first).time);
    return { first, last, longestMs: Math.max(...times), meanMs: (last.time - first.time) / more.length };
  }

  /** How long the last step may take. */
  get #stepMs(): number {
    const [before, last] = this.#steps.slice(-2);
    return before && last ? Math.max(STEP_MS, (last.since - before.time) * TOGETHER) : 0;
  }

  #grow(time: number, total: number): void {
    const last = this.#steps.at(-1);
    const isSame = last !== undefined && time - last.since < this.#stepMs;
    if (isSame) this.#steps.pop();
    this.#steps.push({ since: isSame ? last.since : time, time, total });
  }

  #isEnough(since: Step): boolean {
    const total = this.#steps.at(-1)?.total ?? 0;
    return this.#now - since.time >= SPAN_MS && total - since.total >= this.#atLeast;
  }
}
