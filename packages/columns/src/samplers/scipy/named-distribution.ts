import { DataDesignerError } from '@data-designer/core';
import type { NumberDistribution } from '../../define-sampler.ts';
import { countDistribution } from '../../distributions/count-distribution.ts';
import { shiftAndScale } from '../../distributions/shift-and-scale.ts';
import { type DeclaredDistribution, numberOf } from './check-distribution.ts';
import { distributionOf } from './distributions.ts';

/** A distribution of scipy.stats by its checked name and parameters. */
export function namedDistribution({ distName, distParams }: DeclaredDistribution): NumberDistribution {
  const number = (name: string, otherwise = NaN): number => numberOf(distParams[name]) ?? otherwise;
  const loc = number('loc', 0);
  const distribution = distributionOf(distName);
  if (distribution?.discrete === false) {
    return shiftAndScale(distribution.curve(number), { loc, scale: number('scale', 1) });
  }
  if (distribution) return countDistribution(distribution.counts(number), loc);
  // The check before the run rejects unknown names.
  throw new DataDesignerError('internal/unexpected', { reason: `there is no distribution '${distName}' to draw from` });
}
