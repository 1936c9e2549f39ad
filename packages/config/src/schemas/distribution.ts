import { z } from 'zod';
import { readsAs } from '../read-form.ts';
import { given, isGiven, isMapping, type Mapping } from '../spelling.ts';

const uniform = z.strictObject({
  distributionType: z.literal('uniform').describe('Draws any value of a range with equal probability.'),
  params: z
    .strictObject({
      low: z.number().describe('The lowest value.'),
      high: z.number().describe('The upper bound, which is never drawn.'),
    })
    .refine(({ low, high }) => low < high, { error: 'low must be below high' }),
});

const manual = z.strictObject({
  distributionType: z.literal('manual').describe('Draws one of several values.'),
  params: z
    .strictObject({
      values: z.array(z.number()).min(1).describe('The values to draw from.'),
      weights: z
        .array(z.number())
        .nullable()
        .default(null)
        .describe('One weight for each value, scaled to a sum of 1; null for equal weights.'),
    })
    .check(checkWeights)
    .overwrite(withNormalWeights),
});

const distribution = z.discriminatedUnion('distributionType', [uniform, manual]);

/** How a parameter is drawn anew for each request. */
export type Distribution = z.output<typeof distribution>;

/** A distribution without a type gets it from its parameters. */
function withType(value: Mapping): Mapping {
  if (isGiven(value, 'distributionType')) return value;
  const params = given(value, 'params');
  return { ...value, distributionType: isMapping(params) && 'values' in params ? 'manual' : 'uniform' };
}

/** A parameter that is a number, or drawn from a distribution within the same bounds, or not sent. */
export function drawnNumber(min: number, max: number) {
  const bounded = distribution.refine((one) => boundsOf(one).every((bound) => bound >= min && bound <= max), {
    error: `every value of the distribution must be between ${min} and ${max}`,
  });
  return z
    .union([z.number().min(min).max(max), readsAs(bounded, withType)])
    .nullable()
    .default(null);
}

function boundsOf(one: Distribution): readonly number[] {
  return one.distributionType === 'uniform' ? [one.params.low, one.params.high] : one.params.values;
}

interface Weighted {
  readonly values: readonly unknown[];
  readonly weights: readonly number[] | null;
}

/** Checks that there is one weight per value and that the sum is not 0; `checkModels` checks the rest. */
export function checkWeights(context: z.core.ParsePayload<Weighted>): void {
  const { values, weights } = context.value;
  if (weights === null) return;
  const add = (message: string) =>
    context.issues.push({ code: 'custom', path: ['weights'], message, input: context.value });
  if (weights.length !== values.length)
    add(`expected one weight per value: ${values.length}, not ${weights.length}; give each value one weight`);
  else if (sumOf(weights) === 0) add('the weights must have a sum other than 0; give a value a weight above 0');
}

/** The same with weights of sum 1. */
export function withNormalWeights<Params extends Weighted>(params: Params): Params {
  if (params.weights === null) return params;
  const sum = sumOf(params.weights);
  return { ...params, weights: params.weights.map((weight) => weight / sum) };
}

function sumOf(weights: readonly number[]): number {
  return weights.reduce((sum, weight) => sum + weight, 0);
}
