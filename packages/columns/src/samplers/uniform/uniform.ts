import { z } from 'zod';
import { anyFloat } from '@data-designer/config';
import { type Finding, printFloat, valueType } from '@data-designer/core';
import { defineSampler, samplerFields } from '../../define-sampler.ts';
import { uniformWithin } from '../../distributions/uniform.ts';
import { runFinding } from '../../run-finding.ts';
import { checkFinite, decimalPlaces } from '../number-params.ts';

/** Draws uniform floats of a range. */
export const uniform = defineSampler({
  type: 'uniform',
  schema: z
    .strictObject({
      ...samplerFields('uniform'),
      low: anyFloat().describe('The lowest value.'),
      high: anyFloat().describe('The upper bound, which is never drawn. If it equals `low`, all values are `low`.'),
      decimalPlaces,
    })
    .describe('Draws a number from `low` up to, but not including, `high`.'),
  value: valueType<number>(),
  example: { low: 2, high: 9 },
  arrow: () => 'float64',
  converts: 'number',
  distribution: ({ low, high }) => uniformWithin(low, high),
  check: (params) => [...checkFinite(params, 'low', 'high'), ...checkOrder(params)],
});

function checkOrder({ low, high }: { readonly low: number; readonly high: number }): readonly Finding[] {
  if (!(low > high)) return [];
  const message = `low (${printFloat(low)}) is greater than high (${printFloat(high)}).`;
  return [runFinding(['low'], { message, remedy: 'Swap the two values.' })];
}
