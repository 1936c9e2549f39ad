import { z } from 'zod';
import { anyFloat } from '@data-designer/config';
import { type Finding, valueType } from '@data-designer/core';
import { defineSampler, samplerFields } from '../../define-sampler.ts';
import { normalCurve } from '../../distributions/closed-form-curves.ts';
import { shiftAndScale } from '../../distributions/shift-and-scale.ts';
import { runFinding } from '../../run-finding.ts';
import { checkFinite, decimalPlaces } from '../number-params.ts';

/** Draws floats from a normal distribution. */
export const gaussian = defineSampler({
  type: 'gaussian',
  schema: z
    .strictObject({
      ...samplerFields('gaussian'),
      mean: anyFloat().describe('Mean of the distribution.'),
      stddev: anyFloat().describe('Standard deviation of the distribution; with 0 all values equal the mean.'),
      decimalPlaces,
    })
    .describe('Draws a number from a normal distribution.'),
  value: valueType<number>(),
  example: { mean: 5, stddev: 0.5 },
  arrow: () => 'float64',
  converts: 'number',
  distribution: ({ mean, stddev }) => shiftAndScale(normalCurve, { loc: mean, scale: stddev }),
  check: (params) => [...checkFinite(params, 'mean', 'stddev'), ...checkDeviation(params.stddev)],
});

function checkDeviation(stddev: number): readonly Finding[] {
  // An infinite one has its own finding.
  if (stddev >= 0 || !Number.isFinite(stddev)) return [];
  const message = `the standard deviation must be 0 or more, but is ${stddev}.`;
  return [runFinding(['stddev'], { message, remedy: 'Use a number of 0 or more.' })];
}
