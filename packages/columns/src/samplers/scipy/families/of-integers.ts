import { betaBinomialCounts, betaNegativeBinomialCounts } from '../../../distributions/beta-counts.ts';
import { constantCount } from '../../../distributions/count-distribution.ts';
import * as counts from '../../../distributions/more-counts.ts';
import * as rule from '../distribution.ts';

const { discrete, positive } = rule;

/** The greatest size of distributions whose probabilities are sums over counts. */
const MOST_SUMMANDS = 1_000_000;
const size = rule.integerWithin(0, MOST_SUMMANDS);

/** Distributions of integers. */
export const ofIntegers: rule.Distributions = {
  betabinom: discrete({ n: size, a: positive, b: positive }, ({ n, a, b }) => betaBinomialCounts(n, a, b)),
  betanbinom: discrete({ n: size, a: positive, b: positive }, ({ n, a, b }) => betaNegativeBinomialCounts(n, a, b)),
  boltzmann: discrete({ lambda_: positive, N: rule.positiveCount }, ({ lambda_, N }) =>
    counts.boltzmannCounts(lambda_, N),
  ),
  dlaplace: discrete({ a: positive }, ({ a }) => counts.laplaceCounts(a)),
  logser: discrete({ p: rule.innerShare }, ({ p }) => counts.logSeriesCounts(p)),
  nchypergeom_fisher: discrete(
    { M: size, n: size, N: size, odds: positive },
    ({ M, n, N, odds }) => counts.fisherHypergeometricCounts({ balls: M, marked: n, drawn: N }, odds),
    { says: "'n' and 'N' must be at most 'M'", holds: ({ M = 0, n = 0, N = 0 }) => n <= M && N <= M },
  ),
  nhypergeom: discrete(
    { M: size, n: size, r: size },
    ({ M, n, r }) => (r === 0 ? constantCount(0) : betaBinomialCounts(n, r, M - n - r + 1)),
    { says: "the sum of 'n' and 'r' must be at most 'M'", holds: ({ M = 0, n = 0, r = 0 }) => n + r <= M },
  ),
  planck: discrete({ lambda_: positive }, ({ lambda_ }) => counts.planckCounts(lambda_)),
  skellam: discrete({ mu1: positive, mu2: positive }, ({ mu1, mu2 }) => counts.skellamCounts(mu1, mu2)),
  yulesimon: discrete({ alpha: positive }, ({ alpha }) => counts.yuleSimonCounts(alpha)),
  zipfian: discrete({ a: rule.finiteNotNegative, n: rule.positiveCount }, ({ a, n }) => counts.rankCounts(a, n)),
};
