import {
  curveOfHazard,
  curveOfReversedHazard,
  logExpMinusOne,
  logOneMinusExp,
  logOnePlusExp,
  truncatedCurve,
  withRandomSign,
} from '../../../distributions/cumulative-hazard.ts';
import { generalizedExponential, kappaCurve } from '../../../distributions/exponential-kin.ts';
import type { Curve } from '../../../distributions/shift-and-scale.ts';
import * as rule from '../distribution.ts';

const { continuous, finite, positive } = rule;
const { exp, expm1, log, log1p, pow } = Math;

const POSITIVE = [0, Infinity] as const;
const EVERY = [-Infinity, Infinity] as const;

/** `ln(1 + c x) / c` and its inverse, which for c of 0 are x itself. */
const stretchedLog = (c: number, x: number): number => (c === 0 ? x : log1p(c * x) / c);
const stretchedExp = (c: number, x: number): number => (c === 0 ? x : expm1(c * x) / c);

/** Dagum's distribution; scipy names it after Burr. */
function burr(c: number, d: number): Curve {
  return curveOfReversedHazard({
    support: POSITIVE,
    hazard: (x) => d * logOnePlusExp(-c * log(x)),
    inverse: (h) => exp(-logExpMinusOne(h / d) / c),
  });
}

/** The exponent of the half-logistic distribution, and its inverse. */
const halfLogisticHazard = (x: number): number => log1p(expm1(x) / 2);
const halfLogisticInverse = (h: number): number => log1p(2 * expm1(h));

/** Distributions whose values are elementary functions of exponential ones. */
export const ofExponentials: rule.Distributions = {
  burr: continuous({ c: positive, d: positive }, ({ c, d }) => burr(c, d)),
  burr12: continuous({ c: positive, d: positive }, ({ c, d }) =>
    curveOfHazard({
      support: POSITIVE,
      hazard: (x) => d * logOnePlusExp(c * log(x)),
      inverse: (h) => exp(logExpMinusOne(h / d) / c),
    }),
  ),
  dweibull: continuous({ c: positive }, ({ c }) =>
    withRandomSign({
      upper: (x) => exp(-pow(x, c)),
      quantile: (p, rest) => pow(rest < 0.5 ? -log(rest) : -log1p(-p), 1 / c),
    }),
  ),
  exponpow: continuous({ b: positive }, ({ b }) =>
    curveOfHazard({ support: POSITIVE, hazard: (x) => expm1(pow(x, b)), inverse: (h) => pow(log1p(h), 1 / b) }),
  ),
  exponweib: continuous({ a: positive, c: positive }, ({ a, c }) =>
    curveOfReversedHazard({
      support: POSITIVE,
      // Near 0, where the power underflows, its logarithm is all that counts.
      hazard: (x) => -a * (pow(x, c) > 0 ? logOneMinusExp(pow(x, c)) : c * log(x)),
      inverse: (h) => (h / a > 700 ? exp(-h / a / c) : pow(-logOneMinusExp(h / a), 1 / c)),
    }),
  ),
  fisk: continuous({ c: positive }, ({ c }) => burr(c, 1)),
  genexpon: continuous({ a: positive, b: positive, c: positive }, ({ a, b, c }) => generalizedExponential(a, b, c)),
  genextreme: continuous({ c: finite }, ({ c }) =>
    curveOfReversedHazard({
      support: [c < 0 ? 1 / c : -Infinity, c > 0 ? 1 / c : Infinity],
      hazard: (x) => exp(-stretchedLog(-c, x)),
      inverse: (h) => stretchedExp(-c, -log(h)),
    }),
  ),
  genhalflogistic: continuous({ c: positive }, ({ c }) =>
    curveOfHazard({
      support: [0, 1 / c],
      hazard: (x) => halfLogisticHazard(stretchedLog(-c, x)),
      inverse: (h) => stretchedExp(-c, halfLogisticInverse(h)),
    }),
  ),
  genlogistic: continuous({ c: positive }, ({ c }) =>
    curveOfReversedHazard({
      support: EVERY,
      hazard: (x) => c * logOnePlusExp(-x),
      inverse: (h) => -logExpMinusOne(h / c),
    }),
  ),
  genpareto: continuous({ c: finite }, ({ c }) =>
    curveOfHazard({
      support: [0, c < 0 ? -1 / c : Infinity],
      hazard: (x) => stretchedLog(c, x),
      inverse: (h) => stretchedExp(c, h),
    }),
  ),
  gompertz: continuous({ c: positive }, ({ c }) =>
    curveOfHazard({ support: POSITIVE, hazard: (x) => c * expm1(x), inverse: (h) => log1p(h / c) }),
  ),
  gumbel_l: continuous({}, () => curveOfHazard({ support: EVERY, hazard: exp, inverse: log })),
  halflogistic: continuous({}, () =>
    curveOfHazard({ support: POSITIVE, hazard: halfLogisticHazard, inverse: halfLogisticInverse }),
  ),
  invweibull: continuous({ c: positive }, ({ c }) =>
    curveOfReversedHazard({ support: POSITIVE, hazard: (x) => pow(x, -c), inverse: (h) => pow(h, -1 / c) }),
  ),
  kappa3: continuous({ a: positive }, ({ a }) =>
    curveOfReversedHazard({
      support: POSITIVE,
      hazard: (x) => logOnePlusExp(log(a) - a * log(x)) / a,
      inverse: (h) => exp((log(a) - logExpMinusOne(a * h)) / a),
    }),
  ),
  kappa4: continuous({ h: finite, k: finite }, ({ h, k }) => kappaCurve(h, k)),
  lomax: continuous({ c: positive }, ({ c }) =>
    curveOfHazard({ support: POSITIVE, hazard: (x) => c * log1p(x), inverse: (h) => expm1(h / c) }),
  ),
  mielke: continuous({ k: positive, s: positive }, ({ k, s }) => burr(s, k / s)),
  powerlaw: continuous({ a: positive }, ({ a }) =>
    curveOfReversedHazard({ support: [0, 1], hazard: (x) => -a * log(x), inverse: (h) => exp(-h / a) }),
  ),
  truncexpon: continuous({ b: positive }, ({ b }) =>
    truncatedCurve({ support: [0, b], hazard: (x) => x, inverse: (h) => h }),
  ),
  truncpareto: continuous({ b: rule.finiteNotZero, c: rule.aboveOne }, ({ b, c }) =>
    truncatedCurve({ support: [1, c], hazard: (x) => b * log(x), inverse: (h) => exp(h / b) }),
  ),
  truncweibull_min: continuous(
    { c: positive, a: rule.finiteNotNegative, b: positive },
    ({ c, a, b }) =>
      truncatedCurve({
        support: [a, b],
        hazard: (x) => pow(x, c) - pow(a, c),
        inverse: (h) => pow(h + pow(a, c), 1 / c),
      }),
    rule.below('a', 'b'),
  ),
  weibull_max: continuous({ c: positive }, ({ c }) =>
    curveOfReversedHazard({
      support: [-Infinity, 0],
      hazard: (x) => pow(-x, c),
      inverse: (h) => -pow(h, 1 / c),
    }),
  ),
};
