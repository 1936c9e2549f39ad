import type { Random } from '@data-designer/core';
import { gammaDraw } from './gamma-draw.ts';
import { incompleteBeta } from './incomplete-beta.ts';
import { incompleteGamma, type Part } from './incomplete-gamma.ts';
import { poissonDraw } from './poisson.ts';
import { searchedCurve } from './searched-curve.ts';
import type { Curve } from './shift-and-scale.ts';
import type { Tails } from './solve-quantile.ts';
import { betaPower, betaShape, gammaPower, stirlingError } from './stirling.ts';

const NEGLIGIBLE = 1e-17;

/** The mean of `value(count)` over Poisson counts, for values that have one peak under their probabilities. */
function poissonMean(mean: number, value: (count: number) => number): number {
  const start = Math.floor(mean);
  const mass = start === 0 ? Math.exp(-mean) : gammaPower(start, mean, stirlingError(start));
  const last = start + 60 * Math.sqrt(mean) + 60;
  let sum = 0;
  for (let count = start, weight = mass; count <= last; count++, weight *= mean / count) {
    const term = weight * value(count);
    sum += term;
    if (term < NEGLIGIBLE * sum) break;
  }
  for (let count = start - 1, weight = (mass * start) / mean; count >= 0; weight *= count / mean, count--) {
    const term = weight * value(count);
    sum += term;
    if (term < NEGLIGIBLE * sum) break;
  }
  return sum;
}

/** A tail of the noncentral chi-squared distribution. */
export function noncentralChiSquared(freedom: number, noncentrality: number): (x: number, part: Part) => number {
  return (x, part) => poissonMean(noncentrality / 2, (count) => incompleteGamma(freedom / 2 + count)(x / 2, part));
}

/** The noncentral chi-squared distribution, or the roots of its values. */
export function noncentralChi(freedom: number, noncentrality: number, power: 1 | 2): Curve {
  const tail = noncentralChiSquared(freedom, noncentrality);
  const draw = noncentralDraw(freedom / 2, noncentrality / 2);
  const mean = freedom + noncentrality;
  return searchedCurve({
    support: [0, Infinity],
    tails: {
      lower: (at) => tail(Math.exp(at), 'lower'),
      upper: (at) => tail(Math.exp(at), 'upper'),
      density: (at) =>
        poissonMean(noncentrality / 2, (count) => {
          const a = freedom / 2 + count;
          return a * gammaPower(a, Math.exp(at) / 2, stirlingError(a));
        }),
    },
    coordinate: (x) => power * Math.log(x),
    value: (at) => Math.exp(at / power),
    about: { mean: Math.log(mean), deviation: Math.sqrt(2 * (mean + noncentrality)) / mean },
    draw: (random) => Math.pow(2 * draw(random), 1 / power),
  });
}

/** Draws half of a noncentral chi-squared value. */
function noncentralDraw(shape: number, mean: number): (random: Random) => number {
  const counts = poissonDraw();
  return (random) => gammaDraw(shape + counts(random, mean)).value(random);
}

/** The parameters of the noncentral F distribution. */
interface NoncentralFisher {
  readonly first: number;
  readonly second: number;
  readonly noncentrality: number;
}

/** The noncentral F distribution by its degrees of freedom; the search runs over the log-odds of beta values. */
export function noncentralFisher({ first, second, noncentrality }: NoncentralFisher): Curve {
  const b = second / 2;
  const logRatio = Math.log(second / first);
  const over = (part: (a: number, share: number, rest: number) => number) => (at: number) =>
    poissonMean(noncentrality / 2, (count) => part(first / 2 + count, 1 / (1 + Math.exp(-at)), 1 / (1 + Math.exp(at))));
  const tails: Tails = {
    lower: over((a, share, rest) => incompleteBeta(a, b)(share, rest)),
    upper: over((a, share, rest) => incompleteBeta(b, a)(rest, share)),
    density: over((a, share, rest) => betaPower(betaShape(a, b), share, rest)),
  };
  const mean = (first + noncentrality) / 2;
  const numerator = noncentralDraw(first / 2, noncentrality / 2);
  const denominator = gammaDraw(b);
  return searchedCurve({
    support: [0, Infinity],
    tails,
    coordinate: (x) => Math.log(x) - logRatio,
    value: (at) => Math.exp(at + logRatio),
    about: { mean: Math.log(mean / b), deviation: Math.sqrt(1 / mean + 1 / b) },
    draw: (random) => Math.exp(logRatio) * (numerator(random) / denominator.value(random)),
  });
}
