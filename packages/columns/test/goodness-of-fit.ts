/** The expected distribution of draws: its `cdf` at a number, from the left where it has a step. */
type Cdf = (x: number) => number;

/**
 * The Kolmogorov-Smirnov statistic for draws from a distribution without steps: the greatest difference between observed
 * and expected share, times the square root of the number of draws. Above 1.95 in 1 of 1,000 cases, above 2.23 in 1 of
 * 10,000.
 */
export function kolmogorovSmirnov(draws: Float64Array, cdf: Cdf): number {
  const sorted = draws.toSorted();
  let greatest = 0;
  for (let at = 0; at < sorted.length; at++) {
    const expected = cdf(sorted[at] as number);
    const below = expected - at / sorted.length;
    const above = (at + 1) / sorted.length - expected;
    greatest = Math.max(greatest, below, above);
  }
  return greatest * Math.sqrt(sorted.length);
}

/** How well draws agree with a distribution: a chi-squared statistic over cells of at least 20 expected draws. */
export interface ChiSquared {
  readonly statistic: number;
  readonly degrees: number;
  /** About standard normal, by Wilson and Hilferty: above 3.1 in 1 of 1,000 cases, above 3.7 in 1 of 10,000. */
  readonly score: number;
}

/**
 * Compares draws with a distribution over cells between rising bounds, and merges neighbours with few expected draws.
 * The statistic is infinite if a cell of probability 0 has draws.
 */
export function chiSquared(draws: Float64Array, cdf: Cdf, bounds: readonly number[]): ChiSquared {
  const counts = countWithin(draws, bounds);
  let [statistic, degrees, seen, expected, before] = [0, -1, 0, 0, 0];
  for (let at = 0; at < counts.length; at++) {
    const upTo = at < bounds.length ? cdf(bounds[at] as number) : 1;
    seen += counts[at] as number;
    expected += (upTo - before) * draws.length;
    if ((counts[at] as number) > 0 && upTo <= before) statistic = Infinity;
    before = upTo;
    const restIsEnough = (1 - upTo) * draws.length >= LEAST_EXPECTED;
    if ((expected < LEAST_EXPECTED || !restIsEnough) && at < counts.length - 1) continue;
    statistic += (seen - expected) ** 2 / Math.max(expected, Number.MIN_VALUE);
    degrees++;
    [seen, expected] = [0, 0];
  }
  return { statistic, degrees, score: scoreOf(statistic, degrees) };
}

const LEAST_EXPECTED = 20;

function countWithin(draws: Float64Array, bounds: readonly number[]): Float64Array {
  const counts = new Float64Array(bounds.length + 1);
  let cell = 0;
  for (const draw of draws.toSorted()) {
    while (cell < bounds.length && draw > (bounds[cell] as number)) cell++;
    counts[cell] = (counts[cell] as number) + 1;
  }
  return counts;
}

function scoreOf(statistic: number, degrees: number): number {
  if (degrees === 0) return statistic === Infinity ? Infinity : 0;
  const width = 2 / (9 * degrees);
  return (Math.cbrt(statistic / degrees) - (1 - width)) / Math.sqrt(width);
}
