import type { Random } from '@data-designer/core';

/** Draws one of several values, each as likely as any. */
export function uniformChoice<Value>(values: readonly Value[]): (random: Random) => Value {
  const { length } = values;
  return (random) => values[random.below(length)] as Value;
}

/** Draws one of several values, each by its weight; a choice of one value costs no draw. */
export function weightedChoice<Value>(values: readonly Value[], weights: readonly number[]): (random: Random) => Value {
  const [only, ...others] = values;
  if (only !== undefined && others.length === 0) return () => only;
  const index = weightedIndex(weights);
  return (random) => values[index(random)] as Value;
}

/** Draws an index with probability proportional to its weight. */
function weightedIndex(weights: readonly number[]): (random: Random) => number {
  const bounds = cumulative(weights);
  return (random) => firstAbove(bounds, random.float());
}

/** The upper bounds of each value's share of [0, 1); the last is exactly 1, whatever the rounding. */
function cumulative(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let sum = 0;
  const bounds = weights.map((weight) => (sum += weight) / total);
  for (let index = weights.findLastIndex((weight) => weight > 0); index < bounds.length; index++) bounds[index] = 1;
  return bounds;
}

/** Index of the first bound above `point`, by halving. */
function firstAbove(bounds: readonly number[], point: number): number {
  let low = 0;
  let high = bounds.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((bounds[middle] ?? 1) > point) high = middle;
    else low = middle + 1;
  }
  return low;
}
