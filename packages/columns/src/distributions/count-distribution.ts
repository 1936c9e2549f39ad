import type { Random } from '@data-designer/core';
import type { NumberDistribution } from '../define-sampler.ts';
import { leastCount } from './least-count.ts';
import { normalQuantile } from './normal.ts';
import { positiveFloat } from './positive-float.ts';

/** A distribution of integers; its formulas hold within the support. */
export interface Counts {
  readonly support: readonly [lowest: number, highest: number];
  /** The probability of at most this count. */
  readonly lower: (count: number) => number;
  /** The probability of more than this count. */
  readonly upper: (count: number) => number;
  /** The start of the quantile search, roughly; the lowest count by default. */
  readonly about?: { readonly mean: number; readonly deviation: number };
  /** Draws a count; NaN when it gives up, and a quantile replaces it. */
  readonly draw: (random: Random) => number;
}

/** A distribution with a single count. */
export function constantCount(count: number): Counts {
  return { support: [count, count], lower: () => 1, upper: () => 0, draw: () => count };
}

const GREATEST = Number.MAX_SAFE_INTEGER;
/** Probabilities closer than this count as equal. */
const ROUNDING = 1e-14;

/** Shifts counts by `loc`, truncates them to integers as scipy does, and clamps them to the safe integers. */
export function countDistribution(counts: Counts, loc = 0): NumberDistribution {
  const [lowest, highest] = counts.support;
  const drawCount = counts.draw;
  const isUnmoved = loc === 0;
  const quantile = (p: number): number => clamped(Math.trunc(countQuantile(counts, p) + loc));
  return {
    discrete: true,
    support: [clamped(Math.trunc(lowest + loc)), clamped(Math.trunc(highest + loc))],
    draw: (random) => {
      const count = drawCount(random);
      if (isUnmoved && count <= GREATEST && count >= -GREATEST) return count;
      return clamped(Math.trunc((Number.isNaN(count) ? countQuantile(counts, positiveFloat(random)) : count) + loc));
    },
    cdf: (x) => {
      if (x >= GREATEST) return 1;
      const count = greatestWithin(Math.floor(x), loc);
      if (x < -GREATEST || count < lowest) return 0;
      return count >= highest ? 1 : Math.min(1, Math.max(0, counts.lower(count)));
    },
    quantile,
  };
}

/** The greatest count that is at most x after the shift and the truncation. */
function greatestWithin(x: number, loc: number): number {
  if (Number.isInteger(loc) || x < 0) return Math.floor(x - loc);
  return Math.ceil(x + 1 - loc) - 1;
}

function countQuantile({ support: [lowest, highest], lower, upper, about }: Counts, p: number): number {
  if (p <= 0) return lowest;
  if (p >= 1) return highest;
  const rest = (1 - p) * (1 + ROUNDING);
  const enough = p * (1 - ROUNDING);
  const holds = p > 0.5 ? (count: number) => upper(count) <= rest : (count: number) => lower(count) >= enough;
  const { mean = lowest, deviation = 1 } = about ?? {};
  const least = leastCount(holds, {
    lowest,
    highest: Math.min(highest, 2 ** 53),
    guess: mean + deviation * normalQuantile(p),
    step: deviation / 8,
  });
  // Above 2^53 floats skip integers.
  return least < 2 ** 53 ? least : highest;
}

function clamped(value: number): number {
  if (value > GREATEST) return GREATEST;
  // Adding 0 turns -0 into 0.
  return value < -GREATEST ? -GREATEST : value + 0;
}
