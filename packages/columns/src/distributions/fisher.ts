import { betaLogOdds, betaLogOddsDraw } from './beta.ts';
import type { Curve } from './curve.ts';
import { incompleteBeta } from './incomplete-beta.ts';

/** The F distribution: the ratio of two mean squares of so many degrees of freedom. */
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
    quantile: (p) => Math.exp(logRatio + logOdds(p)),
    draw: (random) => Math.exp(logRatio + drawOdds(random)),
  };
}
