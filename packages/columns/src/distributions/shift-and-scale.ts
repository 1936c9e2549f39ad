import type { NumberDistribution } from '../define-sampler.ts';
import { positiveFloat } from './positive-float.ts';

/** The location and scale of a distribution, as in scipy. */
export interface LocationScale {
  readonly loc: number;
  /** 0 or more. */
  readonly scale: number;
}

/** Stretches a standard distribution by `scale`, then shifts it by `loc`; draws are clamped to finite floats. */
export function shiftAndScale(curve: Curve, { loc, scale }: LocationScale): NumberDistribution {
  const [lowest, highest] = curve.support;
  if (scale === 0 || lowest === highest) return constant(scale === 0 ? loc : clamped(loc + scale * lowest));
  const quantile = (p: number): number => {
    if (p <= 0) return loc + scale * lowest;
    return p >= 1 ? loc + scale * highest : clamped(loc + scale * curve.quantile(p, 1 - p));
  };
  const drawStandard = curve.draw ?? drawQuantile(curve);
  return {
    discrete: false,
    support: [loc + scale * lowest, loc + scale * highest],
    draw: (random) => {
      const value = drawStandard(random);
      return Number.isNaN(value) ? quantile(positiveFloat(random)) : clamped(loc + scale * value);
    },
    cdf: (x) => {
      const at = (x - loc) / scale;
      if (at <= lowest) return 0;
      return at >= highest ? 1 : Math.min(1, Math.max(0, curve.cdf(at)));
    },
    quantile,
  };
}

function drawQuantile({ quantile }: Curve): NumberDistribution['draw'] {
  return (random) => {
    const p = positiveFloat(random);
    return quantile(p, 1 - p);
  };
}

/** A distribution with a single value. */
export function constant(value: number, discrete = false): NumberDistribution {
  return {
    discrete,
    support: [value, value],
    draw: () => value,
    cdf: (x) => (x < value ? 0 : 1),
    quantile: () => value,
  };
}

function clamped(value: number): number {
  if (value > Number.MAX_VALUE) return Number.MAX_VALUE;
  return value < -Number.MAX_VALUE ? -Number.MAX_VALUE : value;
}

/** A continuous distribution; `cdf` holds within the support, `quantile` within (0, 1). */
export interface Curve extends Pick<NumberDistribution, 'support' | 'cdf'> {
  /** The quantile of p; `rest` is 1 - p, whose digits p lacks near 1. */
  readonly quantile: (p: number, rest: number) => number;
  /** Draws a value, by default a quantile; NaN when it gives up, and a quantile replaces it. */
  readonly draw?: NumberDistribution['draw'];
}
