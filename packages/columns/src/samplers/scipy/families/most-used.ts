import { betaCurve, fisherCurve } from '../../../distributions/beta.ts';
import { binomialCounts, negativeBinomialCounts } from '../../../distributions/binomial.ts';
import { bernoulliCounts, geometricCounts, uniformCounts } from '../../../distributions/closed-form-counts.ts';
import * as curves from '../../../distributions/closed-form-curves.ts';
import { gammaCurve } from '../../../distributions/gamma.ts';
import { hypergeometricCounts } from '../../../distributions/hypergeometric.ts';
import { poissonCounts } from '../../../distributions/poisson.ts';
import { studentCurve } from '../../../distributions/student.ts';
import { truncatedNormalCurve } from '../../../distributions/truncated-normal.ts';
import { zipfCounts } from '../../../distributions/zipf.ts';
import * as rule from '../distribution.ts';

const { continuous, discrete, positive, share, count } = rule;

/** The most used distributions. Their draws must not change, because existing datasets resume. */
export const mostUsed: rule.Distributions = {
  norm: continuous({}, () => curves.normalCurve),
  lognorm: continuous({ s: positive }, ({ s }) => curves.logNormalCurve(s)),
  expon: continuous({}, () => curves.exponentialCurve),
  gamma: continuous({ a: positive }, ({ a }) => gammaCurve(a)),
  beta: continuous({ a: positive, b: positive }, ({ a, b }) => betaCurve(a, b)),
  uniform: continuous({}, () => curves.uniformCurve),
  triang: continuous({ c: share }, ({ c }) => curves.triangularCurve(c)),
  weibull_min: continuous({ c: positive }, ({ c }) => curves.weibullCurve(c)),
  pareto: continuous({ b: positive }, ({ b }) => curves.paretoCurve(b)),
  chi2: continuous({ df: positive }, ({ df }) => curves.stretched(gammaCurve(df / 2), 2)),
  t: continuous({ df: rule.positiveOrInfinite }, ({ df }) => studentCurve(df)),
  f: continuous({ dfn: positive, dfd: positive }, ({ dfn, dfd }) => fisherCurve(dfn, dfd)),
  cauchy: continuous({}, () => curves.cauchyCurve),
  laplace: continuous({}, () => curves.laplaceCurve),
  logistic: continuous({}, () => curves.logisticCurve),
  gumbel_r: continuous({}, () => curves.gumbelCurve),
  rayleigh: continuous({}, () => curves.rayleighCurve),
  truncnorm: continuous({ a: rule.real, b: rule.real }, ({ a, b }) => truncatedNormalCurve(a, b), rule.below('a', 'b')),
  poisson: discrete({ mu: rule.finiteNotNegative }, ({ mu }) => poissonCounts(mu)),
  binom: discrete({ n: count, p: share }, ({ n, p }) => binomialCounts(n, p)),
  nbinom: discrete({ n: positive, p: rule.positiveShare }, ({ n, p }) => negativeBinomialCounts(n, p)),
  geom: discrete({ p: rule.positiveShare }, ({ p }) => geometricCounts(p)),
  randint: discrete(
    { low: rule.integer, high: rule.integer },
    ({ low, high }) => uniformCounts(low, high),
    rule.below('low', 'high'),
  ),
  hypergeom: discrete(
    { M: rule.positiveCount, n: count, N: count },
    ({ M, n, N }) => hypergeometricCounts({ balls: M, marked: n, drawn: N }),
    { says: "'n' and 'N' must be at most 'M'", holds: ({ M = 0, n = 0, N = 0 }) => n <= M && N <= M },
  ),
  zipf: discrete({ a: rule.aboveOne }, ({ a }) => zipfCounts(a)),
  bernoulli: discrete({ p: share }, ({ p }) => bernoulliCounts(p)),
};
