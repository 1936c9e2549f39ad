import { z } from 'zod';
import { defineSampler } from '../../define-sampler.ts';
import { listAs, listedValue, type ListedValue, listType } from '../value-list.ts';

const schema = z
  .strictObject({
    samplerType: z.literal('category').default('category'),
    values: z.array(listedValue).min(1).describe('The values to draw from.'),
    weights: z.array(z.number().min(0)).nullable().default(null).describe('One weight per value; normalised to sum 1.'),
  })
  .refine(({ values, weights }) => weights === null || weights.length === values.length, {
    path: ['weights'],
    error: 'there must be one weight per value',
  })
  .refine(({ weights }) => weights === null || weights.some((weight) => weight > 0), {
    path: ['weights'],
    error: 'at least one weight must be above 0',
  });

/** Draws each cell from a fixed list of values, optionally weighted. */
export const category = defineSampler({
  type: 'category',
  schema,
  arrow: ({ values }) => listType(values),
  draw: ({ values, weights }) => {
    const drawn = listAs(listType(values), values);
    if (weights === null) return (random) => drawn[random.below(drawn.length)] as ListedValue;
    const bounds = cumulative(weights);
    return (random) => drawn[firstAbove(bounds, random.float())] as ListedValue;
  },
});

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
