import { z } from 'zod';
import { valueType } from '@data-designer/core';
import { defineSampler, samplerFields } from '../../define-sampler.ts';
import { binomialCounts } from '../../distributions/binomial.ts';
import { countDistribution } from '../../distributions/count-distribution.ts';
import { runFinding } from '../../run-finding.ts';
import { probability } from '../number-params.ts';

/** Draws the number of successes in several trials. */
export const binomial = defineSampler({
  type: 'binomial',
  schema: z
    .strictObject({
      ...samplerFields('binomial'),
      n: z.int().describe('Number of trials, 0 or more.'),
      p: probability.describe('Probability that a trial succeeds.'),
    })
    .describe('Draws the number of successes in `n` trials: an integer from 0 to `n`.'),
  value: valueType<number>(),
  example: { n: 6, p: 0.5 },
  arrow: () => 'int64',
  converts: 'number',
  distribution: ({ n, p }) => countDistribution(binomialCounts(n, p)),
  check: ({ n }) =>
    n < 0
      ? [
          runFinding(['n'], {
            message: `the number of trials must be 0 or more, but is ${n}.`,
            remedy: 'Use 0 or more.',
          }),
        ]
      : [],
});
