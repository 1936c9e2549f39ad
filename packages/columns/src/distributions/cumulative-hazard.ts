import type { Curve } from './shift-and-scale.ts';

/** The logarithm of p, from whichever of p and 1 - p has more digits. */
export function logOf(p: number, rest: number): number {
  return p <= 0.5 ? Math.log(p) : Math.log1p(-rest);
}

/** `ln(1 - exp(-x))`, for x above 0; its own inverse but for the sign. */
export function logOneMinusExp(x: number): number {
  return x < Math.LN2 ? Math.log(-Math.expm1(-x)) : Math.log1p(-Math.exp(-x));
}

/** `ln(exp(x) - 1)`, for x above 0. */
export function logExpMinusOne(x: number): number {
  return x < 30 ? Math.log(Math.expm1(x)) : x;
}

/** `ln(1 + exp(x))`. */
export function logOnePlusExp(x: number): number {
  return x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x));
}

/** A distribution by a monotonic function of its values, 0 at one end of the support, and the inverse. */
interface Hazard {
  readonly support: Curve['support'];
  readonly hazard: (x: number) => number;
  readonly inverse: (hazard: number) => number;
}

/** The distribution with `cdf = 1 - exp(-hazard)`: the values are functions of exponential ones. */
export function curveOfHazard({ support, hazard, inverse }: Hazard): Curve {
  return {
    support,
    cdf: (x) => -Math.expm1(-hazard(x)),
    quantile: (p, rest) => inverse(-logOf(rest, p)),
  };
}

/** The same, cut off at the end of the support. */
export function truncatedCurve({ support, hazard, inverse }: Hazard): Curve {
  const whole = Math.expm1(-hazard(support[1]));
  const beyond = Math.exp(-hazard(support[1]));
  return {
    support,
    cdf: (x) => Math.expm1(-hazard(x)) / whole,
    quantile: (p, rest) => {
      const value = inverse(p * whole > -0.5 ? -Math.log1p(p * whole) : -Math.log(rest + p * beyond));
      return Math.min(support[1], Math.max(support[0], value));
    },
  };
}

/** The distribution with `cdf = exp(-hazard)`, for a falling function. */
export function curveOfReversedHazard({ support, hazard, inverse }: Hazard): Curve {
  return {
    support,
    cdf: (x) => Math.exp(-hazard(x)),
    quantile: (p, rest) => inverse(-logOf(p, rest)),
  };
}

/** A non-negative distribution with its upper tail. */
interface Half extends Pick<Curve, 'quantile' | 'draw'> {
  /** The probability of a value above x. */
  readonly upper: (x: number) => number;
}

/** The distribution of the values of a non-negative one with a random sign. */
export function withRandomSign({ upper, quantile, draw }: Half): Curve {
  return {
    support: [-Infinity, Infinity],
    cdf: (x) => (x < 0 ? upper(-x) / 2 : 1 - upper(x) / 2),
    quantile: (p, rest) => {
      if (p === 0.5) return 0;
      return p < 0.5 ? -quantile(rest - p, 2 * p) : quantile(p - rest, 2 * rest);
    },
    ...(draw && { draw: (random) => (random.float() < 0.5 ? -draw(random) : draw(random)) }),
  };
}
