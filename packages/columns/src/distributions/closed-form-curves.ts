import type { Curve } from './shift-and-scale.ts';
import { normalCdf, normalQuantile } from './normal.ts';

// The closed forms, from the definitions in the documentation of scipy.stats, in the standard place and scale.

/** The standard normal distribution. */
export const normalCurve: Curve = { support: [-Infinity, Infinity], cdf: normalCdf, quantile: normalQuantile };

/** The uniform distribution on [0, 1]. */
export const uniformCurve: Curve = { support: [0, 1], cdf: (x) => x, quantile: (p) => p };

/** The exponential distribution. */
export const exponentialCurve: Curve = {
  support: [0, Infinity],
  cdf: (x) => -Math.expm1(-x),
  quantile: (p) => -Math.log1p(-p),
};

/** The log-normal distribution: exponentials of normal values with deviation s. */
export function logNormalCurve(s: number): Curve {
  return {
    support: [0, Infinity],
    cdf: (x) => normalCdf(Math.log(x) / s),
    quantile: (p) => Math.exp(s * normalQuantile(p)),
  };
}

/** The triangular distribution on [0, 1] with its mode at c. */
export function triangularCurve(c: number): Curve {
  return {
    support: [0, 1],
    cdf: (x) => (x < c ? (x / c) * x : c + ((x - c) / (1 - c)) * (2 - c - x)),
    quantile: (p) => (p < c ? Math.sqrt(c * p) : (c + p - c * p) / (1 + Math.sqrt((1 - c) * (1 - p)))),
  };
}

/** The Weibull distribution with exponent c. */
export function weibullCurve(c: number): Curve {
  return {
    support: [0, Infinity],
    cdf: (x) => -Math.expm1(-Math.pow(x, c)),
    quantile: (p) => Math.pow(-Math.log1p(-p), 1 / c),
  };
}

/** The Pareto distribution with exponent b and minimum 1. */
export function paretoCurve(b: number): Curve {
  return {
    support: [1, Infinity],
    cdf: (x) => -Math.expm1(-b * Math.log(x)),
    quantile: (p) => Math.exp(-Math.log1p(-p) / b),
  };
}

/** The Cauchy distribution. */
export const cauchyCurve: Curve = {
  support: [-Infinity, Infinity],
  cdf: (x) => (x < 0 ? Math.atan(-1 / x) / Math.PI : 0.5 + Math.atan(x) / Math.PI),
  quantile: (p) => {
    if (p < 0.25) return -1 / Math.tan(Math.PI * p);
    return p > 0.75 ? 1 / Math.tan(Math.PI * (1 - p)) : Math.tan(Math.PI * (p - 0.5));
  },
};

/** The Laplace distribution. */
export const laplaceCurve: Curve = {
  support: [-Infinity, Infinity],
  cdf: (x) => (x < 0 ? Math.exp(x) / 2 : 1 - Math.exp(-x) / 2),
  quantile: (p) => (p < 0.5 ? Math.log(2 * p) : -Math.log(2 * (1 - p))),
};

/** The logistic distribution. */
export const logisticCurve: Curve = {
  support: [-Infinity, Infinity],
  cdf: (x) => (x < 0 ? Math.exp(x) / (1 + Math.exp(x)) : 1 / (1 + Math.exp(-x))),
  quantile: (p) => Math.log(p) - Math.log1p(-p),
};

/** The Gumbel distribution of maxima. */
export const gumbelCurve: Curve = {
  support: [-Infinity, Infinity],
  cdf: (x) => Math.exp(-Math.exp(-x)),
  quantile: (p) => -Math.log(-Math.log(p)),
};

/** The Rayleigh distribution. */
export const rayleighCurve: Curve = {
  support: [0, Infinity],
  cdf: (x) => -Math.expm1((-x * x) / 2),
  quantile: (p) => Math.sqrt(-2 * Math.log1p(-p)),
};

/** Multiplies the values of a non-negative distribution by a factor. */
export function stretched({ support, cdf, quantile, draw }: Curve, times: number): Curve {
  return {
    support: [support[0] * times, support[1] * times],
    cdf: (x) => cdf(x / times),
    quantile: (p, rest) => times * quantile(p, rest),
    ...(draw && { draw: (random) => times * draw(random) }),
  };
}
