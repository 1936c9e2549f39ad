import { z } from 'zod';
import { valueType } from '@data-designer/core';
import { defineSampler, samplerFields } from '../../define-sampler.ts';
import { decimalPlaces } from '../number-params.ts';
import { checkDistribution } from './check-distribution.ts';
import { isDiscrete } from './distributions.ts';
import { namedDistribution } from './named-distribution.ts';

/** Draws from a distribution of scipy.stats. */
export const scipy = defineSampler({
  type: 'scipy',
  schema: z
    .strictObject({
      ...samplerFields('scipy'),
      distName: z.string().describe('Name of the distribution in `scipy.stats`, such as `lognorm`.'),
      distParams: z
        .record(z.string(), z.unknown())
        .describe('The parameters of the distribution, by their names in scipy.'),
      decimalPlaces,
    })
    .describe(
      'Draws a number from a distribution of `scipy.stats`: an integer for discrete distributions. An unsupported name is a mistake whose message suggests a supported one.',
    ),
  value: valueType<number>(),
  example: { distName: 'norm', distParams: { scale: 2 } },
  arrow: ({ distName }) => (isDiscrete(distName) ? 'int64' : 'float64'),
  converts: 'number',
  distribution: namedDistribution,
  check: (params) => checkDistribution(params),
});
