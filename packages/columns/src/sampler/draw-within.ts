import type { Random } from '@data-designer/core';
import type { NumberDistribution } from '../define-sampler.ts';
import type { Bounds } from './constraints.ts';

/** The rounding of drawn values: to multiples of a step; 0 for none. */
export interface Lattice {
  readonly step: number;
}

/** The probabilities whose rounded quantiles lie within bounds; empty unless the first is below the last. */
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

/** Draws a quantile from the range of `shareWithin`; rounding may move it slightly out of the bounds. */
export function drawWithin(
  distribution: NumberDistribution,
  random: Random,
  [first, last]: readonly [first: number, last: number],
): number {
  const point = first + random.float() * (last - first);
  return distribution.quantile(Math.min(Math.max(point, Number.MIN_VALUE), 1 - Number.EPSILON / 2));
}

/** The bounds before rounding: half a step around the outermost multiples. */
function beforeRounding({ low, high, lowOpen, highOpen }: Bounds, step: number): Bounds {
  const [from, to] = [stepsTo(low, step), stepsTo(high, step)];
  const first = lowOpen ? Math.floor(from) + 1 : Math.ceil(from);
  const last = highOpen ? Math.ceil(to) - 1 : Math.floor(to);
  return { low: (first - 0.5) * step, high: (last + 0.5) * step, lowOpen: false, highOpen: false };
}

/** A bound in steps from 0, without float error in the last digits. */
function stepsTo(bound: number, step: number): number {
  const steps = bound / step;
  const whole = Math.round(steps);
  return Math.abs(steps - whole) <= 1e-9 * Math.max(1, Math.abs(whole)) ? whole : steps;
}
