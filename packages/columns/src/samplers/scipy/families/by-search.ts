import { noncentralChi, noncentralFisher } from '../../../distributions/noncentral.ts';
import {
  breitWignerCurve,
  cosineCurve,
  irwinHallCurve,
  kolmogorovCurve,
} from '../../../distributions/searched-curves.ts';
import {
  doubleParetoLogNormal,
  foldedNormal,
  inverseGauss,
  normalPlusExponential,
} from '../../../distributions/sums-with-normal.ts';
import * as rule from '../distribution.ts';

const { continuous, finiteNotNegative, positive } = rule;

/** The most uniform values that `irwinhall` adds up: a probability takes as many operations as the square. */
const MOST_SUMMANDS = 1000;

/** Distributions whose quantiles are found by a search within their tails. */
export const bySearch: rule.Distributions = {
  cosine: continuous({}, cosineCurve),
  dpareto_lognorm: continuous({ u: rule.finite, s: positive, a: positive, b: positive }, ({ u, s, a, b }) =>
    doubleParetoLogNormal({ mean: u, deviation: s, rates: [a, b] }),
  ),
  exponnorm: continuous({ K: positive }, ({ K }) => normalPlusExponential(K)),
  foldnorm: continuous({ c: finiteNotNegative }, ({ c }) => foldedNormal(c)),
  invgauss: continuous({ mu: positive }, ({ mu }) => inverseGauss(mu, false)),
  irwinhall: continuous({ n: rule.integerWithin(1, MOST_SUMMANDS) }, ({ n }) => irwinHallCurve(n)),
  kstwobign: continuous({}, kolmogorovCurve),
  ncf: continuous({ dfn: positive, dfd: positive, nc: finiteNotNegative }, ({ dfn, dfd, nc }) =>
    noncentralFisher({ first: dfn, second: dfd, noncentrality: nc }),
  ),
  ncx2: continuous({ df: positive, nc: finiteNotNegative }, ({ df, nc }) => noncentralChi(df, nc, 1)),
  recipinvgauss: continuous({ mu: positive }, ({ mu }) => inverseGauss(mu, true)),
  rel_breitwigner: continuous({ rho: positive }, ({ rho }) => breitWignerCurve(rho)),
  rice: continuous({ b: finiteNotNegative }, ({ b }) => noncentralChi(2, b * b, 2)),
  wald: continuous({}, () => inverseGauss(1, false)),
};
