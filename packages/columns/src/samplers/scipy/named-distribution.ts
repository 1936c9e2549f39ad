import { DataDesignerError } from '@data-designer/core';
import * as curves from '../../distributions/closed-form-curves.ts';
import type { NumberDistribution } from '../../define-sampler.ts';
import { betaCurve, fisherCurve } from '../../distributions/beta.ts';
import { binomialCounts, negativeBinomialCounts } from '../../distributions/binomial.ts';
import { countDistribution, type Counts } from '../../distributions/count-distribution.ts';
import { type Curve, shiftAndScale } from '../../distributions/shift-and-scale.ts';
import { gammaCurve } from '../../distributions/gamma.ts';
import { hypergeometricCounts } from '../../distributions/hypergeometric.ts';
import { bernoulliCounts, geometricCounts, uniformCounts } from '../../distributions/closed-form-counts.ts';
import { poissonCounts } from '../../distributions/poisson.ts';
import { studentCurve } from '../../distributions/student.ts';
import { truncatedNormalCurve } from '../../distributions/truncated-normal.ts';
import { zipfCounts } from '../../distributions/zipf.ts';
import { type DeclaredDistribution, numberOf } from './check-distribution.ts';

/** Reads a checked shape parameter by scipy's name. */
type Shape = (name: string) => number;

const CURVES: Readonly<Record<string, (shape: Shape) => Curve>> = {
  norm: () => curves.normalCurve,
  lognorm: (shape) => curves.logNormalCurve(shape('s')),
  expon: () => curves.exponentialCurve,
  gamma: (shape) => gammaCurve(shape('a')),
  beta: (shape) => betaCurve(shape('a'), shape('b')),
  uniform: () => curves.uniformCurve,
  triang: (shape) => curves.triangularCurve(shape('c')),
  weibull_min: (shape) => curves.weibullCurve(shape('c')),
  pareto: (shape) => curves.paretoCurve(shape('b')),
  chi2: (shape) => curves.stretched(gammaCurve(shape('df') / 2), 2),
  t: (shape) => studentCurve(shape('df')),
  f: (shape) => fisherCurve(shape('dfn'), shape('dfd')),
  cauchy: () => curves.cauchyCurve,
  laplace: () => curves.laplaceCurve,
  logistic: () => curves.logisticCurve,
  gumbel_r: () => curves.gumbelCurve,
  rayleigh: () => curves.rayleighCurve,
  truncnorm: (shape) => truncatedNormalCurve(shape('a'), shape('b')),
};

const COUNTS: Readonly<Record<string, (shape: Shape) => Counts>> = {
  poisson: (shape) => poissonCounts(shape('mu')),
  binom: (shape) => binomialCounts(shape('n'), shape('p')),
  nbinom: (shape) => negativeBinomialCounts(shape('n'), shape('p')),
  geom: (shape) => geometricCounts(shape('p')),
  randint: (shape) => uniformCounts(shape('low'), shape('high')),
  hypergeom: (shape) => hypergeometricCounts({ balls: shape('M'), marked: shape('n'), drawn: shape('N') }),
  zipf: (shape) => zipfCounts(shape('a')),
  bernoulli: (shape) => bernoulliCounts(shape('p')),
};

/** A distribution of scipy.stats by its checked name and parameters. */
export function namedDistribution({ distName, distParams }: DeclaredDistribution): NumberDistribution {
  const number = (name: string, otherwise = NaN): number => numberOf(distParams[name]) ?? otherwise;
  const loc = number('loc', 0);
  const curve = Object.hasOwn(CURVES, distName) ? CURVES[distName] : undefined;
  if (curve) return shiftAndScale(curve(number), { loc, scale: number('scale', 1) });
  const counts = Object.hasOwn(COUNTS, distName) ? COUNTS[distName] : undefined;
  if (counts) return countDistribution(counts(number), loc);
  // The check before the run rejects unknown names.
  throw new DataDesignerError('internal/unexpected', { reason: `there is no distribution '${distName}' to draw from` });
}
