import { logNormalCurve } from '../../../distributions/closed-form-curves.ts';
import { curveOfHazard } from '../../../distributions/cumulative-hazard.ts';
import { alphaCurve, crystalBall } from '../../../distributions/normal-kin.ts';
import { halfNormalCdf, halfNormalQuantile, normalCdf, normalQuantileOf } from '../../../distributions/normal.ts';
import { logUpperTail, normalOfFall } from '../../../distributions/normal-tail.ts';
import * as rule from '../distribution.ts';

const { continuous, finite, positive } = rule;
const { asinh, exp, log, sinh, sqrt } = Math;

const POSITIVE = [0, Infinity] as const;
const EVERY = [-Infinity, Infinity] as const;

/** Distributions whose values are functions of normal ones. */
export const ofNormals: rule.Distributions = {
  alpha: continuous({ a: positive }, ({ a }) => alphaCurve(a)),
  crystalball: continuous({ beta: positive, m: rule.aboveOne }, ({ beta, m }) => crystalBall(beta, m)),
  fatiguelife: continuous({ c: positive }, ({ c }) => ({
    support: POSITIVE,
    cdf: (x) => normalCdf((sqrt(x) - 1 / sqrt(x)) / c),
    quantile: (p, rest) => exp(2 * asinh((c * normalQuantileOf(p, rest)) / 2)),
  })),
  gibrat: continuous({}, () => logNormalCurve(1)),
  halfnorm: continuous({}, () => ({ support: POSITIVE, cdf: halfNormalCdf, quantile: halfNormalQuantile })),
  johnsonsb: continuous({ a: finite, b: positive }, ({ a, b }) => ({
    support: [0, 1],
    cdf: (x) => normalCdf(a + b * log(x / (1 - x))),
    quantile: (p, rest) => 1 / (1 + exp((a - normalQuantileOf(p, rest)) / b)),
  })),
  johnsonsu: continuous({ a: finite, b: positive }, ({ a, b }) => ({
    support: EVERY,
    cdf: (x) => normalCdf(a + b * asinh(x)),
    quantile: (p, rest) => sinh((normalQuantileOf(p, rest) - a) / b),
  })),
  levy: continuous({}, () => ({
    support: POSITIVE,
    cdf: (x) => 2 * normalCdf(-1 / sqrt(x)),
    quantile: (p, rest) => halfNormalQuantile(rest, p) ** -2,
  })),
  levy_l: continuous({}, () => ({
    support: [-Infinity, 0],
    cdf: (x) => halfNormalCdf(1 / sqrt(-x)),
    quantile: (p, rest) => -(halfNormalQuantile(p, rest) ** -2),
  })),
  moyal: continuous({}, () => ({
    support: EVERY,
    cdf: (x) => 2 * normalCdf(-exp(-x / 2)),
    quantile: (p, rest) => -2 * log(halfNormalQuantile(rest, p)),
  })),
  powerlognorm: continuous({ c: positive, s: positive }, ({ c, s }) =>
    curveOfHazard({
      support: POSITIVE,
      hazard: (x) => -c * logUpperTail(log(x) / s),
      inverse: (h) => exp(s * normalOfFall(h / c)),
    }),
  ),
  powernorm: continuous({ c: positive }, ({ c }) =>
    curveOfHazard({
      support: EVERY,
      hazard: (x) => -c * logUpperTail(x),
      inverse: (h) => normalOfFall(h / c),
    }),
  ),
};
