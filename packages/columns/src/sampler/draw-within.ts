import type { Random } from '@data-designer/core';
import type { NumberDistribution } from '../define-sampler.ts';
import type { Bounds } from './constraints.ts';

/** How what is drawn is rounded: to multiples of a step, 0 where it is not rounded. */
export interface Lattice {
  readonly step: number;
}

/**
 * The share of a distribution that bounds leave, as the part of [0, 1) that its quantiles come from; empty where the
 * first is not below the last. What is rounded to a lattice first counts by its rounded value.
 */
export function shareWithin(
  distribution: NumberDistribution,
  bounds: Bounds,
  { step }: Lattice,
): readonly [first: number, last: number] {
  const { low, high, lowOpen, highOpen } = step > 0 ? beforeRounding(bounds, step) : bounds;
  const { cdf, discrete } = distribution;
  if (!discrete) return [low === -Infinity ? 0 : cdf(low), high === Infinity ? 1 : cdf(high)];
  const below = lowOpen ? Math.floor(low) : Math.ceil(low) - 1;
  const top = highOpen ? Math.ceil(high) - 1 : Math.floor(high);
  return [low === -Infinity ? 0 : cdf(below), high === Infinity ? 1 : cdf(top)];
}

/** A draw from the part of a distribution that `shareWithin` gives, by its quantiles; it may lie beside the bounds by rounding. */
export function drawWithin(
  distribution: NumberDistribution,
  random: Random,
  [first, last]: readonly [first: number, last: number],
): number {
  const point = first + random.float() * (last - first);
  return distribution.quantile(Math.min(Math.max(point, Number.MIN_VALUE), 1 - Number.EPSILON / 2));
}

/** The bounds of the numbers that are rounded into bounds: half a step around the outermost multiples. */
function beforeRounding({ low, high, lowOpen, highOpen }: Bounds, step: number): Bounds {
  const [from, to] = [stepsTo(low, step), stepsTo(high, step)];
  const first = lowOpen ? Math.floor(from) + 1 : Math.ceil(from);
  const last = highOpen ? Math.ceil(to) - 1 : Math.floor(to);
  return { low: (first - 0.5) * step, high: (last + 0.5) * step, lowOpen: false, highOpen: false };
}

/** How many steps a bound lies from 0; a float that misses a whole number by its last digits is that number. */
function stepsTo(bound: number, step: number): number {
  const steps = bound / step;
  const whole = Math.round(steps);
  return Math.abs(steps - whole) <= 1e-9 * Math.max(1, Math.abs(whole)) ? whole : steps;
}
