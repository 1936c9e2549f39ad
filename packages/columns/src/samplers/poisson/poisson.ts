import { z } from 'zod';
import { anyFloat } from '@data-designer/config';
import { type Finding, valueType } from '@data-designer/core';
import { defineSampler, samplerFields } from '../../define-sampler.ts';
import { countDistribution } from '../../distributions/count-distribution.ts';
import { poissonCounts } from '../../distributions/poisson.ts';
import { runFinding } from '../../run-finding.ts';
import { checkFinite } from '../number-params.ts';

/** Draws counts of random events by their mean. */
export const poisson = defineSampler({
  type: 'poisson',
  schema: z
    .strictObject({
      ...samplerFields('poisson'),
      mean: anyFloat().describe('Mean of the distribution, 0 or more.'),
    })
    .describe('Draws a count from a Poisson distribution: an integer, 0 or more.'),
  value: valueType<number>(),
  example: { mean: 2 },
  arrow: () => 'int64',
  converts: 'number',
  distribution: ({ mean }) => countDistribution(poissonCounts(mean)),
  check: (params) => [...checkFinite(params, 'mean'), ...checkMean(params.mean)],
});

function checkMean(mean: number): readonly Finding[] {
  if (mean >= 0 || !Number.isFinite(mean)) return [];
  const message = `the mean must be 0 or more, but is ${mean}.`;
  return [runFinding(['mean'], { message, remedy: 'Use a number of 0 or more.' })];
}
