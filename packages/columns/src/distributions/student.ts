import type { Curve } from './shift-and-scale.ts';
import { betaLogOdds } from './beta.ts';
import { gammaDraw } from './gamma-draw.ts';
import { incompleteBeta } from './incomplete-beta.ts';
import { normalCdf, normalQuantile } from './normal.ts';
import { positiveFloat } from './positive-float.ts';
import { logBeta } from './stirling.ts';

/** Above this value `x * x / freedom` may overflow. */
const FAR = 1e100;

/** From these degrees of freedom on, floats cannot tell the distribution from the normal one. */
const LIKE_INFINITE = 1e20;

/** Student's t distribution; normal for infinite degrees of freedom. */
export function studentCurve(freedom: number): Curve {
  const support = [-Infinity, Infinity] as const;
  if (freedom > LIKE_INFINITE) return { support, cdf: normalCdf, quantile: normalQuantile };
  const tail = upperTail(freedom);
  const near = betaLogOdds(0.5, freedom / 2);
  const far = betaLogOdds(freedom / 2, 0.5);
  const above = (p: number): number => {
    // Each side of 0.25 uses the expansion with more digits.
    const logOdds = p > 0.25 ? near(1 - 2 * p) : -far(2 * p);
    return Math.exp((Math.log(freedom) + logOdds) / 2);
  };
  return {
    support,
    cdf: (x) => (x < 0 ? tail(-x) : 1 - tail(x)),
    quantile: (p) => (p === 0.5 ? 0 : p < 0.5 ? -above(p) : above(1 - p)),
    draw: studentDraw(freedom),
  };
}

/** The probability of a value above x, for x of 0 or more. */
function upperTail(freedom: number): (x: number) => number {
  const half = freedom / 2;
  const near = incompleteBeta(0.5, half);
  const far = incompleteBeta(half, 0.5);
  const start = half * Math.log(freedom) - logBeta(half, 0.5) - Math.log(freedom);
  return (x) => {
    // Only the first power of freedom / x^2 is left there.
    if (x > FAR) return Math.exp(start - freedom * Math.log(x));
    const square = (x / freedom) * x;
    const share = 1 / (1 + square);
    // A large tail is computed from the middle, to avoid cancellation.
    return square * Math.max(1, freedom) < 0.5 ? 0.5 - near(square * share, share) / 2 : far(share, square * share) / 2;
  };
}

function studentDraw(freedom: number): NonNullable<Curve['draw']> {
  const half = freedom / 2;
  const gamma = gammaDraw(half);
  if (half >= 1) return (random) => normalQuantile(positiveFloat(random)) * Math.sqrt(half / gamma.value(random));
  const logHalf = Math.log(half);
  return (random) => normalQuantile(positiveFloat(random)) * Math.exp((logHalf - gamma.logarithm(random)) / 2);
}
