import { z } from 'zod';
import { valueType } from '@data-designer/core';
import { defineSampler, samplerFields } from '../../define-sampler.ts';
import { mixedWithZero } from '../../distributions/mixture.ts';
import { probability } from '../number-params.ts';
import { checkDistribution } from '../scipy/check-distribution.ts';
import { isDiscrete } from '../scipy/distributions.ts';
import { namedDistribution } from '../scipy/named-distribution.ts';

/** Draws from a distribution with probability p, else 0. */
export const bernoulliMixture = defineSampler({
  type: 'bernoulli_mixture',
  schema: z
    .strictObject({
      ...samplerFields('bernoulli_mixture'),
      p: probability.describe('Probability of a draw from the distribution; otherwise the value is 0.'),
      distName: z.string().describe('Name of the distribution in `scipy.stats`, such as `lognorm`.'),
      distParams: z
        .record(z.string(), z.unknown())
        .describe('The parameters of the distribution, by their names in scipy.'),
    })
    .describe('Draws from a distribution of `scipy.stats` with probability `p`, otherwise 0.'),
  value: valueType<number>(),
  example: { p: 0.5, distName: 'gamma', distParams: { a: 2 } },
  arrow: ({ distName }) => (isDiscrete(distName) ? 'int64' : 'float64'),
  converts: 'number',
  distribution: ({ p, distName, distParams }) => mixedWithZero(p, namedDistribution({ distName, distParams })),
  check: checkDistribution,
});
