import { logOf } from '../../../distributions/cumulative-hazard.ts';
import type { Curve } from '../../../distributions/shift-and-scale.ts';
import * as rule from '../distribution.ts';

const { continuous, finite, positive, share } = rule;
const { PI, asin, atan, atan2, exp, expm1, log, log1p, pow, sin, sqrt, tan } = Math;

const POSITIVE = [0, Infinity] as const;
const EVERY = [-Infinity, Infinity] as const;

/** The tangent of pi p / 2. */
const tanOfHalf = (p: number, rest: number): number => (p < 0.5 ? tan((PI * p) / 2) : 1 / tan((PI * rest) / 2));

/** The Laplace distribution whose rates are kappa above 0 and 1 / kappa below. */
function asymmetricLaplace(kappa: number): Curve {
  const below = kappa / (kappa + 1 / kappa);
  return {
    support: EVERY,
    cdf: (x) => (x < 0 ? exp(x / kappa) * below : 1 - exp(-x * kappa) * (1 - below)),
    quantile: (p, rest) => (p < below ? kappa * log(p / below) : -log(rest * (1 + kappa * kappa)) / kappa),
  };
}

/** The absolute value of a Cauchy value around c. */
function foldedCauchy(c: number): Curve {
  const square = 1 + c * c;
  return {
    support: POSITIVE,
    cdf: (x) => atan2(2 * x, square - x * x) / PI,
    quantile: (p, rest) => {
      const slope = tan(PI * Math.min(p, rest));
      const root = sqrt(1 + slope * slope * square);
      return p < 0.5 ? (slope * square) / (1 + root) : (1 + root) / slope;
    },
  };
}

function skewedCauchy(a: number): Curve {
  const [low, high] = [1 - a, 1 + a];
  return {
    support: EVERY,
    cdf: (x) => {
      if (x < 0) return (low * (x < -low ? atan(-low / x) : PI / 2 + atan(x / low))) / PI;
      return 1 - (high * (x > high ? atan(high / x) : PI / 2 - atan(x / high))) / PI;
    },
    quantile: (p, rest) => (p < low / 2 ? -low / tan((PI * p) / low) : high / tan((PI * rest) / high)),
  };
}

function trapezoid(c: number, d: number): Curve {
  const width = d - c + 1;
  return {
    support: [0, 1],
    cdf: (x) => {
      if (x < c) return (x / c) * (x / width);
      return x <= d ? (2 * x - c) / width : 1 - ((1 - x) / width) * ((1 - x) / (1 - d));
    },
    quantile: (p, rest) => {
      if (p * width < c) return sqrt(p * c * width);
      return rest * width < 1 - d ? 1 - sqrt(rest * width * (1 - d)) : (p * width + c) / 2;
    },
  };
}

/** Tukey's distribution is defined by its quantiles; the search for a probability runs over its log-odds. */
function tukeyLambda(lambda: number): Curve {
  const quantile = (p: number, rest: number): number => {
    const [low, high] = [logOf(p, rest), logOf(rest, p)];
    return lambda === 0 ? low - high : (expm1(lambda * low) - expm1(lambda * high)) / lambda;
  };
  const upper = (x: number): number => {
    let [low, high] = [0, 745];
    for (let count = 0; count < 64; count++) {
      const odds = exp(-(low + high) / 2);
      if (quantile(1 / (1 + odds), odds / (1 + odds)) < x) low = (low + high) / 2;
      else high = (low + high) / 2;
    }
    return exp(-low) / (1 + exp(-low));
  };
  const end = lambda > 0 ? 1 / lambda : Infinity;
  return { support: [-end, end], cdf: (x) => (x < 0 ? upper(-x) : 1 - upper(x)), quantile };
}

function wrappedCauchy(c: number): Curve {
  const ratio = (1 - c) / (1 + c);
  const lower = (x: number): number => atan(tan(x / 2) / ratio) / PI;
  const angle = (p: number): number => 2 * atan(ratio * tan(PI * p));
  return {
    support: [0, 2 * PI],
    cdf: (x) => (x < PI ? lower(x) : 1 - lower(2 * PI - x)),
    quantile: (p, rest) => (p < 0.5 ? angle(p) : 2 * PI - angle(rest)),
  };
}

/** Distributions whose values are elementary functions of uniform ones. */
export const ofUniforms: rule.Distributions = {
  anglit: continuous({}, () => ({
    support: [-PI / 4, PI / 4],
    cdf: (x) => pow(sin(x + PI / 4), 2),
    quantile: (p, rest) => {
      if (p < 0.25) return asin(sqrt(p)) - PI / 4;
      return rest < 0.25 ? PI / 4 - asin(sqrt(rest)) : asin(p - rest) / 2;
    },
  })),
  arcsine: continuous({}, () => ({
    support: [0, 1],
    cdf: (x) => (2 / PI) * asin(sqrt(x)),
    quantile: (p) => pow(sin((PI / 2) * p), 2),
  })),
  bradford: continuous({ c: positive }, ({ c }) => ({
    support: [0, 1],
    cdf: (x) => log1p(c * x) / log1p(c),
    quantile: (p) => Math.min(1, expm1(p * log1p(c)) / c),
  })),
  foldcauchy: continuous({ c: rule.finiteNotNegative }, ({ c }) => foldedCauchy(c)),
  halfcauchy: continuous({}, () => ({
    support: POSITIVE,
    cdf: (x) => (x < 1 ? (2 / PI) * atan(x) : 1 - (2 / PI) * atan(1 / x)),
    quantile: tanOfHalf,
  })),
  hypsecant: continuous({}, () => ({
    support: EVERY,
    cdf: (x) => (2 / PI) * atan(exp(x)),
    quantile: (p, rest) => log(tanOfHalf(p, rest)),
  })),
  laplace_asymmetric: continuous({ kappa: positive }, ({ kappa }) => asymmetricLaplace(kappa)),
  loglaplace: continuous({ c: positive }, ({ c }) => ({
    support: POSITIVE,
    cdf: (x) => (x < 1 ? pow(x, c) / 2 : 1 - pow(x, -c) / 2),
    quantile: (p, rest) => (p < 0.5 ? pow(2 * p, 1 / c) : pow(2 * rest, -1 / c)),
  })),
  ...Object.fromEntries(
    ['loguniform', 'reciprocal'].map((name) => [
      name,
      continuous(
        { a: positive, b: positive },
        ({ a, b }) => ({
          support: [a, b],
          cdf: (x) => log(x / a) / log(b / a),
          quantile: (p, rest) => (p < 0.5 ? a * exp(p * log(b / a)) : b * exp(-rest * log(b / a))),
        }),
        rule.below('a', 'b'),
      ),
    ]),
  ),
  skewcauchy: continuous({ a: rule.innerSign }, ({ a }) => skewedCauchy(a)),
  trapezoid: continuous({ c: share, d: share }, ({ c, d }) => trapezoid(c, d), {
    says: "'c' must be at most 'd'",
    holds: ({ c = 0, d = 0 }) => c <= d,
  }),
  tukeylambda: continuous({ lam: finite }, ({ lam }) => tukeyLambda(lam)),
  wrapcauchy: continuous({ c: rule.innerShare }, ({ c }) => wrappedCauchy(c)),
};
