import type { ColumnTimes } from '@data-designer/gateway';

/** A share of the calls, and the time in ms that they take at most. */
interface Step {
  readonly share: number;
  readonly ms: number;
}

/** With fewer answers than this their spread is not known yet. */
const FEW_ANSWERS = 8;
/** The standard deviation of the logarithms that is expected until then. */
const EXPECTED_SPREAD = 0.4;
/** Logarithms of times in one step of the counts differ by up to this. */
const STEP_WIDTH = Math.log(2) / 8;
/** The most calls of a resample. */
const MOST_RESAMPLED = 512;

/**
 * How long calls take. Calls in flight count as at least as long as they have taken (Kaplan and Meier): the first answers are
 * the fast ones. Times longer than any answer so far come from the log-normal distribution that fits the others.
 */
export class CallDurations {
  readonly #steps: readonly Step[];
  readonly #answers: number;
  readonly #mean: number;
  readonly #spread: number;
  /** The share of the calls that take no longer than the longest answer so far. */
  readonly #reached: number;

  private constructor(steps: readonly Step[], answers: number) {
    this.#steps = steps;
    this.#answers = answers;
    this.#reached = steps.at(-1)?.share ?? 0;
    const { mean, spread } = logNormalOf(steps, answers < FEW_ANSWERS ? EXPECTED_SPREAD : undefined);
    this.#mean = mean;
    this.#spread = spread;
  }

  /** Undefined without an answer. */
  static of({ ended, running }: ColumnTimes): CallDurations | undefined {
    const answers = ended.reduce((sum, [, calls]) => sum + calls, 0);
    if (answers === 0) return undefined;
    let open = answers + running.reduce((sum, [, calls]) => sum + calls, 0);
    let surviving = 1;
    let at = 0;
    const steps: Step[] = [];
    for (const [ms, calls] of ended) {
      for (; at < running.length && (running[at]?.[0] ?? 0) < ms; at++) open -= running[at]?.[1] ?? 0;
      surviving *= 1 - calls / open;
      open -= calls;
      steps.push({ share: 1 - surviving, ms });
    }
    return new CallDurations(steps, answers);
  }

  /** Durations that are as likely as these, for as many answers. */
  resampled(random: () => number): CallDurations {
    const calls = Math.min(this.#answers, MOST_RESAMPLED);
    const drawn = Array.from({ length: calls }, () => this.#at(random())).toSorted((one, other) => one - other);
    const ended = drawn.map((ms): readonly [number, number] => [ms, 1]);
    return CallDurations.of({ ended, running: [] }) ?? this;
  }

  /** The time that this share of the calls takes at most. */
  at(share: number): number {
    return share >= 1 - 1 / (2 * this.#answers) ? this.#beyond(share) : this.#at(share);
  }

  #beyond(share: number): number {
    return Math.max(this.#longest, Math.exp(this.#mean + this.#spread * normal(share)));
  }

  #at(share: number): number {
    if (share >= this.#reached) return this.#beyond(share);
    let [low, high] = [0, this.#steps.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#steps[middle]?.share ?? 1) > share) high = middle;
      else low = middle + 1;
    }
    return this.#steps[low]?.ms ?? 0;
  }

  /** A time longer than `least`, in ms. */
  drawBeyond(least: number, random: () => number): number {
    let [low, high] = [0, 1];
    for (let step = 0; step < 20; step++) {
      const middle = (low + high) / 2;
      if (this.at(middle) > least) high = middle;
      else low = middle;
    }
    const drawn = this.at(high + (1 - high) * random());
    return drawn > least ? drawn : least * (1 + Math.max(STEP_WIDTH, this.#spread / 2) * random());
  }

  get #longest(): number {
    return this.#steps.at(-1)?.ms ?? 0;
  }
}

/** Fits a line through the logarithms of the times over the quantiles of the normal distribution. */
function logNormalOf(steps: readonly Step[], known?: number): { readonly mean: number; readonly spread: number } {
  let before = 0;
  const points = steps.map(({ share, ms }) => {
    const point = { weight: share - before, z: normal((share + before) / 2), log: Math.log(ms) };
    before = share;
    return point;
  });
  const sum = (of: (point: (typeof points)[number]) => number) =>
    points.reduce((total, one) => total + one.weight * of(one), 0);
  const weight = sum(() => 1);
  const z = sum((one) => one.z) / weight;
  const log = sum((one) => one.log) / weight;
  const squares = sum((one) => (one.z - z) ** 2);
  const spread = known ?? (squares > 0 ? sum((one) => (one.z - z) * (one.log - log)) / squares : 0);
  return { mean: log - spread * z, spread };
}

/** The quantile of the normal distribution, by Tukey's lambda distribution: within 0.01 from 0.1 % to 99.9 %. */
function normal(share: number): number {
  const inside = Math.min(1 - 1e-6, Math.max(1e-6, share));
  return 4.91 * (inside ** 0.14 - (1 - inside) ** 0.14);
}
