import type { NumberDistribution } from '../define-sampler.ts';
import { positiveFloat } from './positive-float.ts';

/** Where a standard distribution stands: shifted by `loc`, after it was stretched by `scale`. */
export interface LocationScale {
  readonly loc: number;
  /** 0 or more. */
  readonly scale: number;
}

/**
 * A distribution of floats at a place, one value alone where its scale is 0. All draws are finite: what would be beyond
 * the greatest float is that.
 */
export function shiftAndScale(curve: Curve, { loc, scale }: LocationScale): NumberDistribution {
  const [lowest, highest] = curve.support;
  if (scale === 0 || lowest === highest) return constant(scale === 0 ? loc : clamped(loc + scale * lowest));
  const quantile = (p: number): number => {
    if (p <= 0) return loc + scale * lowest;
    return p >= 1 ? loc + scale * highest : clamped(loc + scale * curve.quantile(p));
  };
  const drawStandard = curve.draw ?? ((random) => curve.quantile(positiveFloat(random)));
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

/** One value alone. */
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

/** A distribution of floats without steps, as formulas; `cdf` holds within the support, `quantile` within (0, 1). */
export interface Curve extends Pick<NumberDistribution, 'support' | 'cdf' | 'quantile'> {
  /** Draws a value, the quantile at a uniform draw unless given; NaN where it gave up, so that a quantile takes its place. */
  readonly draw?: NumberDistribution['draw'];
}
