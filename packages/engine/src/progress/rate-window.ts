/** The window of a rate. */
const SPAN_MS = 30_000;
/** The least distance of samples. */
const STEP_MS = 500;
/** More samples, of a very slow run, are thinned out. */
const MOST_SAMPLES = 500;

interface Sample {
  readonly time: number;
  readonly total: number;
}

/** The rate of a count over the last 30 seconds, or longer where it grew by less than `atLeast`. */
export class RateWindow {
  readonly #atLeast: number;
  #samples: Sample[];

  constructor(begin: Sample, { atLeast = 0 }: { readonly atLeast?: number } = {}) {
    this.#atLeast = atLeast;
    this.#samples = [begin];
  }

  /** Adds a sample; times are in ms and never go back. */
  add(time: number, total: number): void {
    const samples = this.#samples;
    const before = samples.at(-2);
    if (before && time - before.time < STEP_MS) samples.pop();
    samples.push({ time, total });
    while (samples.length > 2 && isEnough(samples[1] as Sample, { time, total }, this.#atLeast)) samples.shift();
    if (samples.length > MOST_SAMPLES) this.#samples = samples.filter((_, index) => index % 2 === 0);
  }

  /** Per second, between the first and the last sample; 0 where the count fell, as it does when work is done again. */
  get perSecond(): number {
    const first = this.#samples[0] as Sample;
    const last = this.#samples.at(-1) as Sample;
    if (last.time <= first.time) return 0;
    return (Math.max(0, last.total - first.total) / (last.time - first.time)) * 1000;
  }
}

function isEnough(since: Sample, now: Sample, atLeast: number): boolean {
  return now.time - since.time >= SPAN_MS && now.total - since.total >= atLeast;
}
