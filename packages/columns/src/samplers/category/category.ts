import { anyFloat, checkWeights, withNormalWeights } from '@data-designer/config';
import { type Finding, printFloat } from '@data-designer/core';
import { z } from 'zod';
import { defineSampler } from '../../define-sampler.ts';
import { atRun } from '../at-run.ts';
import { checkFiniteValues, listAs, listedValue, type ListedValue, listType } from '../value-list.ts';

const schema = z
  .strictObject({
    samplerType: z.literal('category').default('category').describe('The sampler that reads these parameters.'),
    values: z.array(listedValue).min(1, { error: 'the list of values is empty' }).describe('The values to draw from.'),
    weights: z.array(anyFloat()).nullable().default(null).describe('One weight per value; normalised to sum 1.'),
  })
  .check(checkWeights)
  .overwrite(withNormalWeights);

/** Draws each cell from a fixed list of values, optionally weighted. */
export const category = defineSampler({
  type: 'category',
  schema,
  arrow: ({ values }) => listType(values),
  converts: 'number',
  check: ({ values, weights }) => [
    ...checkFiniteValues(values, ['values']),
    ...(weights ?? []).flatMap(checkWeight),
    ...checkSum(weights ?? []),
  ],
  draw: ({ values, weights }) => {
    const drawn = listAs(listType(values), values);
    if (weights === null) return (random) => drawn[random.below(drawn.length)] as ListedValue;
    const bounds = cumulative(weights);
    return (random) => drawn[firstAbove(bounds, random.float())] as ListedValue;
  },
});

/** Weights that are negative or infinite load, by the reference tool's rules, and draw nothing. */
function checkWeight(weight: number, index: number): readonly Finding[] {
  if (weight >= 0 && Number.isFinite(weight)) return [];
  const message = `a weight must be a finite number of 0 or more; as a part of the sum of all, this one is ${printFloat(weight)}.`;
  return [atRun(['weights', index], { message, remedy: 'Use 0 for a value that is never drawn.' })];
}

/** Normalised, weights whose sum is too large for a float are all nothing. */
function checkSum(weights: readonly number[]): readonly Finding[] {
  if (weights.length === 0 || weights.some((weight) => weight !== 0)) return [];
  return [atRun(['weights'], { message: 'the sum of the weights is too large.', remedy: 'Use smaller ones.' })];
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
    if ((bounds[middle] as number) > point) high = middle;
    else low = middle + 1;
  }
  return low;
}
