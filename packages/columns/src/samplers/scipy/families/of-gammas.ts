import { withRandomSign } from '../../../distributions/cumulative-hazard.ts';
import { argusCurve, curveOfBeta, curveOfGamma, pearsonCurve } from '../../../distributions/gamma-kin.ts';
import { gammaCurve } from '../../../distributions/gamma.ts';
import { incompleteGamma } from '../../../distributions/incomplete-gamma.ts';
import { normalCurve } from '../../../distributions/closed-form-curves.ts';
import type { Curve } from '../../../distributions/shift-and-scale.ts';
import * as rule from '../distribution.ts';

const { continuous, positive } = rule;
const { LN2, asinh, exp, log, pow, sinh, sqrt, tanh } = Math;

const POSITIVE = [0, Infinity] as const;
const EVERY = [-Infinity, Infinity] as const;

/** A gamma value of shape a to a power. */
function gammaToPower(a: number, power: number): Curve {
  return curveOfGamma(a, {
    support: POSITIVE,
    value: (logarithm) => exp(logarithm * power),
    log: (x) => log(x) / power,
    falls: power < 0,
  });
}

/** The distribution of the length of a vector of `freedom` standard normal numbers. */
function chi(freedom: number): Curve {
  return curveOfGamma(freedom / 2, {
    support: POSITIVE,
    value: (logarithm) => exp((LN2 + logarithm) / 2),
    log: (x) => 2 * log(x) - LN2,
  });
}

/** The symmetric beta distribution on [-1, 1]. */
function symmetricBeta(c: number): Curve {
  return curveOfBeta([c / 2, c / 2], {
    support: [-1, 1],
    value: (logOdds) => tanh(logOdds / 2),
    share: (x) => [(1 + x) / 2, (1 - x) / 2],
  });
}

/** The values with a random sign whose absolute values are gamma values of shape a to a power. */
function signedGamma(a: number, power: number): Curve {
  const incomplete = incompleteGamma(a);
  const { quantile, draw } = gammaToPower(a, power);
  return withRandomSign({
    upper: (x) => incomplete(pow(x, 1 / power), 'upper'),
    quantile,
    ...(draw && { draw }),
  });
}

/** Below this skew scipy takes the normal distribution. */
const LEAST_SKEW = 0.000016;

/** Distributions whose values are functions of gamma or beta values. */
export const ofGammas: rule.Distributions = {
  argus: continuous({ chi: positive }, (values) => argusCurve(values.chi)),
  betaprime: continuous({ a: positive, b: positive }, ({ a, b }) =>
    curveOfBeta([a, b], { support: POSITIVE, value: exp, share: (x) => [x / (1 + x), 1 / (1 + x)] }),
  ),
  chi: continuous({ df: positive }, ({ df }) => chi(df)),
  dgamma: continuous({ a: positive }, ({ a }) => signedGamma(a, 1)),
  erlang: continuous({ a: positive }, ({ a }) => gammaCurve(a)),
  gengamma: continuous({ a: positive, c: rule.finiteNotZero }, ({ a, c }) => gammaToPower(a, 1 / c)),
  gennorm: continuous({ beta: positive }, ({ beta }) => signedGamma(1 / beta, 1 / beta)),
  halfgennorm: continuous({ beta: positive }, ({ beta }) => gammaToPower(1 / beta, 1 / beta)),
  invgamma: continuous({ a: positive }, ({ a }) => gammaToPower(a, -1)),
  jf_skew_t: continuous({ a: positive, b: positive }, ({ a, b }) =>
    curveOfBeta([a, b], {
      support: EVERY,
      value: (logOdds) => sqrt(a + b) * sinh(logOdds / 2),
      share: (x) => {
        const logOdds = 2 * asinh(x / sqrt(a + b));
        return [1 / (1 + exp(-logOdds)), 1 / (1 + exp(logOdds))];
      },
    }),
  ),
  loggamma: continuous({ c: positive }, ({ c }) =>
    curveOfGamma(c, { support: EVERY, value: (logarithm) => logarithm, log: (x) => x }),
  ),
  maxwell: continuous({}, () => chi(3)),
  nakagami: continuous({ nu: positive }, ({ nu }) =>
    curveOfGamma(nu, {
      support: POSITIVE,
      value: (logarithm) => exp((logarithm - log(nu)) / 2),
      log: (x) => log(nu) + 2 * log(x),
    }),
  ),
  pearson3: continuous({ skew: rule.finite }, ({ skew }) =>
    Math.abs(skew) < LEAST_SKEW ? normalCurve : pearsonCurve(skew),
  ),
  rdist: continuous({ c: positive }, ({ c }) => symmetricBeta(c)),
  semicircular: continuous({}, () => symmetricBeta(3)),
};
