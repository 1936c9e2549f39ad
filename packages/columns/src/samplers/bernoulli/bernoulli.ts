import { z } from 'zod';
import { valueType } from '@data-designer/core';
import { defineSampler, samplerFields } from '../../define-sampler.ts';
import { countDistribution } from '../../distributions/count-distribution.ts';
import { bernoulliCounts } from '../../distributions/closed-form-counts.ts';
import { probability } from '../number-params.ts';

/** Draws 1 with probability p, else 0. */
export const bernoulli = defineSampler({
  type: 'bernoulli',
  schema: z
    .strictObject({
      ...samplerFields('bernoulli'),
      p: probability.describe('Probability of the value 1.'),
    })
    .describe('Draws 1 with probability `p`, otherwise 0.'),
  value: valueType<0 | 1>(),
  example: { p: 0.5 },
  arrow: () => 'int64',
  converts: 'number',
  distribution: ({ p }) => countDistribution(bernoulliCounts(p)),
});
