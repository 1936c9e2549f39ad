import type { Random } from '@data-designer/core';
import { constantCount, type Counts } from './count-distribution.ts';
import type { Urn } from './hypergeometric.ts';
import { incompleteBetaOfZero } from './incomplete-beta.ts';
import { leastCount } from './least-count.ts';
import { noncentralChiSquared } from './noncentral.ts';
import { poissonDraw } from './poisson.ts';
import { positiveFloat } from './positive-float.ts';
import { logBeta } from './stirling.ts';
import { tableDraw } from './table-draw.ts';
import { powerSum } from './zipf.ts';

const { exp, expm1, floor, log, log1p } = Math;

/** The discrete exponential distribution from 0 on. */
export function planckCounts(lambda: number): Counts {
  return {
    support: [0, Infinity],
    lower: (count) => -expm1(-lambda * (count + 1)),
    upper: (count) => exp(-lambda * (count + 1)),
    about: { mean: 1 / lambda, deviation: 1 / lambda },
    draw: (random) => floor(-log(positiveFloat(random)) / lambda),
  };
}

/** The discrete exponential distribution from 0 to below `size`. */
export function boltzmannCounts(lambda: number, size: number): Counts {
  const whole = expm1(-lambda * size);
  const about = Math.min(size / 2, 1 / lambda);
  return {
    support: [0, size - 1],
    lower: (count) => expm1(-lambda * (count + 1)) / whole,
    upper: (count) => (exp(-lambda * (count + 1)) * expm1(-lambda * (size - count - 1))) / whole,
    about: { mean: about, deviation: about },
    draw: (random) => Math.min(size - 1, floor(-log1p(random.float() * whole) / lambda)),
  };
}

/** The discrete Laplace distribution: the difference of two equal discrete exponential counts. */
export function laplaceCounts(a: number): Counts {
  const beyond = (count: number): number => exp(-a * count) / (1 + exp(-a));
  const { draw } = planckCounts(a);
  return {
    support: [-Infinity, Infinity],
    lower: (count) => (count < 0 ? beyond(-count) : 1 - beyond(count + 1)),
    upper: (count) => (count < 0 ? 1 - beyond(-count) : beyond(count + 1)),
    about: { mean: 0, deviation: 1 + 1 / a },
    draw: (random) => draw(random) - draw(random),
  };
}

/** The logarithmic series distribution. Source of the draw: Kemp, Applied Statistics 30 (1981), algorithm LS. */
export function logSeriesCounts(p: number): Counts {
  const whole = -log1p(-p);
  const upper = (count: number): number => incompleteBetaOfZero(count + 1, p) / whole;
  return {
    support: [1, Infinity],
    lower: (count) => 1 - upper(count),
    upper,
    about: { mean: p / (1 - p) / whole, deviation: 1 / (1 - p) },
    draw: (random) => {
      const logShare = log(-expm1(-whole * positiveFloat(random)));
      return floor(log(positiveFloat(random)) / logShare) + 1;
    },
  };
}

/** The Yule-Simon distribution: geometric counts whose probability is a uniform value to the power 1 / alpha. */
export function yuleSimonCounts(alpha: number): Counts {
  const upper = (count: number): number => (count < 1 ? 1 : exp(log(count) + logBeta(count, alpha + 1)));
  return {
    support: [1, Infinity],
    lower: (count) => 1 - upper(count),
    upper,
    draw: (random) => {
      const p = Math.pow(positiveFloat(random), 1 / alpha);
      return floor(log(positiveFloat(random)) / log1p(-p)) + 1;
    },
  };
}

/** The difference of two Poisson counts. Source of the tails: Johnson, Biometrika 46 (1959). */
export function skellamCounts(first: number, second: number): Counts {
  const draw = poissonDraw();
  return {
    support: [-Infinity, Infinity],
    lower: (count) =>
      count < 0
        ? noncentralChiSquared(-2 * count, 2 * first)(2 * second, 'lower')
        : noncentralChiSquared(2 * count + 2, 2 * second)(2 * first, 'upper'),
    upper: (count) =>
      count < 0
        ? noncentralChiSquared(-2 * count, 2 * first)(2 * second, 'upper')
        : noncentralChiSquared(2 * count + 2, 2 * second)(2 * first, 'lower'),
    about: { mean: first - second, deviation: Math.sqrt(first + second) },
    draw: (random) => draw(random, first) - draw(random, second),
  };
}

/** Terms this much less probable than the mode do not count. */
const NEGLIGIBLE = 1e-40;

/** Fisher's noncentral hypergeometric distribution: the balls that are marked are `odds` times as likely to be drawn. */
export function fisherHypergeometricCounts({ balls, marked, drawn }: Urn, odds: number): Counts {
  const [lowest, highest] = [Math.max(0, marked + drawn - balls), Math.min(marked, drawn)];
  if (lowest === highest) return constantCount(lowest);
  const ratio = (count: number): number =>
    odds * ((marked - count) / (count + 1)) * ((drawn - count) / (balls - marked - drawn + count + 1));
  const start = { lowest, highest, guess: drawn * (marked / balls), step: 1 };
  const mode = leastCount((count) => ratio(count) < 1, start);
  const masses = [1];
  let first = mode;
  for (let mass = 1; first > lowest && mass > NEGLIGIBLE; first--) masses.push((mass /= ratio(first - 1)));
  masses.reverse();
  for (let at = mode, mass = 1; at < highest && mass > NEGLIGIBLE; at++) masses.push((mass *= ratio(at)));
  const lower = sums(masses);
  const upper = sums(masses.toReversed()).toReversed();
  const whole = lower[masses.length - 1] ?? 1;
  const last = masses.length - 1;
  return {
    support: [lowest, highest],
    lower: (count) => (count < first ? 0 : (lower[Math.min(last, count - first)] ?? 0) / whole),
    upper: (count) => (count < first ? 1 : (upper[count - first + 1] ?? 0) / whole),
    about: { mean: mode, deviation: 1 },
    // Without a table, which would be too long, a quantile replaces the draw.
    draw: tableDraw({ lowest, highest, mode, ratio }) ?? (() => NaN),
  };
}

function sums(masses: readonly number[]): Float64Array {
  let sum = 0;
  return Float64Array.from(masses, (mass) => (sum += mass));
}

const MAX_TRIES = 128;

/**
 * Zipf's distribution of n ranks and exponent a of 0 or more. Source of the draw: Hoermann and Derflinger,
 * "Rejection-inversion to generate variates from monotone discrete distributions", ACM TOMACS 6 (1996).
 */
export function rankCounts(a: number, n: number): Counts {
  const sum = (first: number, last: number): number => powerSum(first, last, a);
  const whole = sum(1, n);
  const area = (x: number): number => (a === 1 ? log(x) : expm1((1 - a) * log(x)) / (1 - a));
  const areaInverse = (y: number): number => exp(a === 1 ? y : log1p(Math.max(-1, (1 - a) * y)) / (1 - a));
  const [low, high] = [area(1.5) - 1, area(n + 0.5)];
  const margin = 2 - areaInverse(area(2.5) - Math.pow(2, -a));
  const draw = (random: Random): number => {
    for (let tried = 0; tried < MAX_TRIES; tried++) {
      const y = high + random.float() * (low - high);
      const x = areaInverse(y);
      const rank = Math.min(n, Math.max(1, Math.round(x)));
      if (rank - x <= margin || y >= area(rank + 0.5) - Math.pow(rank, -a)) return rank;
    }
    return NaN;
  };
  return {
    support: [1, n],
    lower: (count) => sum(1, count) / whole,
    upper: (count) => sum(count + 1, n) / whole,
    draw,
  };
}
