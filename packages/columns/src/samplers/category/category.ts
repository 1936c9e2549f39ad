import { z } from 'zod';
import { anyFloat, checkWeights, type DrawnValue, withNormalWeights } from '@data-designer/config';
import { type Finding, printFloat, valueType, type TypeFunction } from '@data-designer/core';
import { defineSampler, samplerFields } from '../../define-sampler.ts';
import { runFinding } from '../../run-finding.ts';
import { checkListed, listAs, listedValue, listType } from '../value-list.ts';
import { uniformChoice, weightedChoice } from '../weighted-choice.ts';

const schema = z
  .strictObject({
    ...samplerFields('category'),
    values: z
      .array(listedValue)
      .min(1, { error: 'the list of values is empty; list the values to draw from' })
      .describe('The values to draw from.'),
    weights: z
      .array(anyFloat())
      .nullable()
      .default(null)
      .describe('One weight for each value, scaled to a sum of 1; null for equal weights.'),
  })
  .describe('Draws one of a list of values, with weights if given. All values of a list become one type.')
  .check(checkWeights)
  .overwrite(withNormalWeights);

/** A value of the declared list. */
export interface ListedIn extends TypeFunction {
  readonly type: this['config'] extends { readonly values: infer Values } ? DrawnValue<Values> : unknown;
}

/** Draws each cell from a fixed list of values, optionally weighted. */
export const category = defineSampler({
  type: 'category',
  schema,
  value: valueType<ListedIn>(),
  statistics: 'categorical',
  choices: ({ values, weights }) => new Set(values.filter((_, index) => weights?.[index] !== 0)).size,
  listed: ({ values, weights }) => listAs(listType(values), values).filter((_, index) => weights?.[index] !== 0),
  example: { values: ['red', 'green'], weights: [3, 1] },
  arrow: ({ values }) => listType(values),
  converts: 'number',
  check: ({ values, weights }) => [
    ...checkListed(listType(values), values, ['values']),
    ...(weights ?? []).flatMap(checkWeight),
    ...checkSum(weights ?? []),
  ],
  draw: ({ values, weights }) => {
    const drawn = listAs(listType(values), values);
    return weights === null ? uniformChoice(drawn) : weightedChoice(drawn, weights);
  },
});

/** Negative and infinite weights load, as in the reference tool, but cannot be drawn. */
function checkWeight(weight: number, index: number): readonly Finding[] {
  if (weight >= 0 && Number.isFinite(weight)) return [];
  const message = `the weight must be a finite number of 0 or more, but its share of the sum is ${printFloat(weight)}.`;
  return [runFinding(['weights', index], { message, remedy: 'Use 0 for a value that should never be drawn.' })];
}

/** Weights whose sum overflows are all normalised to 0. */
function checkSum(weights: readonly number[]): readonly Finding[] {
  if (weights.length === 0 || weights.some((weight) => weight !== 0)) return [];
  return [runFinding(['weights'], { message: 'the sum of the weights is too large.', remedy: 'Use smaller weights.' })];
}
