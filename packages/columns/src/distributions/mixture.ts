import type { NumberDistribution } from '../define-sampler.ts';
import { constant } from './shift-and-scale.ts';

const BELOW_ONE = 1 - 2 ** -53;

/** Draws from a distribution with probability p, else 0. */
export function mixedWithZero(p: number, distribution: NumberDistribution): NumberDistribution {
  const { discrete, support, draw, cdf, quantile } = distribution;
  if (p === 0) return constant(0, discrete);
  if (p === 1) return distribution;
  const belowZero = p * probabilityBelowZero(distribution);
  const upToZero = p * cdf(0) + (1 - p);
  return {
    discrete,
    support: [Math.min(0, support[0]), Math.max(0, support[1])],
    draw: (random) => (random.float() < p ? draw(random) : 0),
    cdf: (x) => p * cdf(x) + (x < 0 ? 0 : 1 - p),
    quantile: (q) => {
      if (q <= belowZero) return quantile(Math.min(q / p, BELOW_ONE));
      return q <= upToZero ? 0 : quantile(Math.min(1 - (1 - q) / p, BELOW_ONE));
    },
  };
}

function probabilityBelowZero({ discrete, support: [lowest, highest], cdf }: NumberDistribution): number {
  if (highest < 0) return 1;
  if (lowest >= 0) return 0;
  return cdf(discrete ? -1 : 0);
}
