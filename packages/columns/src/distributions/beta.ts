import type { Random } from '@data-designer/core';
import type { Curve } from './shift-and-scale.ts';
import { gammaDraw } from './gamma-draw.ts';
import { incompleteBeta } from './incomplete-beta.ts';
import { normalQuantileOf } from './normal.ts';
import { solveQuantile, type Tails } from './solve-quantile.ts';
import { betaPower, betaShape, logBeta } from './stirling.ts';

/** The beta distribution of a and b. */
export function betaCurve(a: number, b: number): Curve {
  const lower = incompleteBeta(a, b);
  const logOdds = betaLogOdds(a, b);
  const drawOdds = betaLogOddsDraw(a, b);
  return {
    support: [0, 1],
    cdf: (x) => lower(x, 1 - x),
    quantile: (p, rest) => shareOf(logOdds(p, rest)),
    draw: (random) => shareOf(drawOdds(random)),
  };
}

/** The probability with these log-odds. */
function shareOf(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

/** Beyond these log-odds only the first term of the power series counts; floats reach about 700. */
const FARTHEST = -600;

/** The quantiles as log-odds, which lose no digits near 0 and 1. */
export function betaLogOdds(a: number, b: number): (p: number, rest?: number) => number {
  const lower = incompleteBeta(a, b);
  const upper = incompleteBeta(b, a);
  const shape = betaShape(a, b);
  const tails: Tails = {
    lower: (at) => lower(shareOf(at), shareOf(-at)),
    upper: (at) => upper(shareOf(-at), shareOf(at)),
    density: (at) => betaPower(shape, shareOf(at), shareOf(-at)),
  };
  const middle = Math.log(a / b);
  const spread = Math.sqrt(1 / a + 1 / b);
  const isBellShaped = a > 1 && b > 1;
  const step = spread + 1 / a + 1 / b;
  const logWhole = logBeta(a, b);
  return (p, rest = 1 - p) => {
    // Far out only the first term of the power series is left, of the odds or of their inverse.
    const low = (Math.log(p) + Math.log(a) + logWhole) / a;
    if (low < FARTHEST) return low;
    const high = (Math.log(rest) + Math.log(b) + logWhole) / b;
    if (high < FARTHEST) return -high;
    return solveQuantile(tails, p, {
      at: middle + (isBellShaped ? spread * normalQuantileOf(p, rest) : 0),
      step,
      rest,
    });
  };
}

/** Draws the log-odds of a beta value: the logarithm of the ratio of two gamma values. */
export function betaLogOddsDraw(a: number, b: number): (random: Random) => number {
  const first = gammaDraw(a);
  const second = gammaDraw(b);
  if (a >= 1 && b >= 1) return (random) => Math.log(first.value(random) / second.value(random));
  return (random) => first.logarithm(random) - second.logarithm(random);
}

/** The F distribution by the degrees of freedom of numerator and denominator. */
export function fisherCurve(first: number, second: number): Curve {
  const lower = incompleteBeta(first / 2, second / 2);
  const logOdds = betaLogOdds(first / 2, second / 2);
  const drawOdds = betaLogOddsDraw(first / 2, second / 2);
  const logRatio = Math.log(second) - Math.log(first);
  return {
    support: [0, Infinity],
    cdf: (x) => {
      const odds = (first / second) * x;
      return odds === Infinity ? 1 : lower(odds / (1 + odds), 1 / (1 + odds));
    },
    quantile: (p, rest) => Math.exp(logRatio + logOdds(p, rest)),
    draw: (random) => Math.exp(logRatio + drawOdds(random)),
  };
}
