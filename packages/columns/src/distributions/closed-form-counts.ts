import type { Counts } from './count-distribution.ts';
import { positiveFloat } from './positive-float.ts';

/** The Bernoulli distribution: 1 with probability p, else 0. */
export function bernoulliCounts(p: number): Counts {
  return {
    support: [p < 1 ? 0 : 1, p > 0 ? 1 : 0],
    lower: (count) => (count < 1 ? 1 - p : 1),
    upper: (count) => (count < 1 ? p : 0),
    draw: (random) => (random.float() < p ? 1 : 0),
  };
}

/** Equally likely integers from `low` to below `high`. */
export function uniformCounts(low: number, high: number): Counts {
  const size = high - low;
  const highest = high - 1;
  return {
    support: [low, highest],
    lower: (count) => (count - low + 1) / size,
    upper: (count) => (highest - count) / size,
    about: { mean: low + size / 2, deviation: size / 4 },
    draw: (random) => Math.min(highest, low + random.below(size)),
  };
}

/** The geometric distribution: trials up to the first success, each of probability p above 0. */
export function geometricCounts(p: number): Counts {
  const logRest = Math.log1p(-p);
  return {
    support: [1, p < 1 ? Infinity : 1],
    lower: (count) => -Math.expm1(count * logRest),
    upper: (count) => Math.exp(count * logRest),
    about: { mean: 1 / p, deviation: 1 / p },
    draw: (random) => Math.floor(Math.log(positiveFloat(random)) / logRest) + 1,
  };
}
