import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { chiSquared, kolmogorovSmirnov } from '../../test/goodness-of-fit.ts';
import type { NumberDistribution } from '../define-sampler.ts';
import { checkDistribution } from '../samplers/scipy/check-distribution.ts';
import { distributionNames } from '../samplers/scipy/distributions.ts';
import { mostUsed } from '../samplers/scipy/families/most-used.ts';
import { namedDistribution } from '../samplers/scipy/named-distribution.ts';

/** The quantiles of a distribution of scipy. */
interface Known {
  readonly name: string;
  readonly params: Readonly<Record<string, number>>;
  readonly ppf: readonly (readonly [probability: number, x: number])[];
}

// Written by `npm run oracle -- scipy` with scipy 1.17.1 and mpmath 1.4.1.
const known = JSON.parse(readFileSync(new URL('scipy-quantiles.json', import.meta.url), 'utf8')) as readonly Known[];

/** The greatest relative error of a quantile, from 1e-10 to 1 - 1e-10. */
const PRECISION = 1e-9;
/** The error of a quantile near 0, relative to the size of the other quantiles. */
const NEAR_ZERO = 1e-15;
const ROWS = 2000;

/** The statistic of a goodness-of-fit test over its limit, which 1 of 10,000 samples exceeds. */
function misfit({ discrete, cdf, quantile }: NumberDistribution, drawn: Float64Array): number {
  if (!discrete) return kolmogorovSmirnov(drawn, cdf) / 2.23;
  const bounds = Array.from({ length: 29 }, (_, at) => quantile((at + 1) / 30));
  return (
    chiSquared(
      drawn,
      cdf,
      [...new Set(bounds)].toSorted((a, b) => a - b),
    ).score / 3.7
  );
}

describe.each(known)('$name $params', ({ name, params, ppf }) => {
  const distribution = namedDistribution({ distName: name, distParams: params });
  const { discrete, support, cdf, quantile, draw } = distribution;

  test('accepts the parameters', () => {
    expect(checkDistribution({ distName: name, distParams: params })).toEqual([]);
  });

  test('has the quantiles of scipy', () => {
    const size = Math.abs(quantile(0.9));
    const wrong = ppf.filter(([p, x]) => {
      const error = Math.abs(quantile(p) - x);
      return !(discrete ? error === 0 : error <= Math.max(PRECISION * Math.abs(x), NEAR_ZERO * size));
    });
    expect(wrong.map(([p, x]) => [p, quantile(p), x])).toEqual([]);
  });

  test('cdf inverts quantile', () => {
    const wrong = ppf.filter(([p]) => {
      const x = quantile(p);
      if (discrete) return !(cdf(x) >= p * (1 - 1e-12) && (x === support[0] || cdf(x - 1) < p * (1 + 1e-12)));
      // At an end of the support neighbouring floats have different probabilities.
      const next = 4 * Number.EPSILON * Math.abs(x);
      return !(cdf(x - next) <= p * (1 + PRECISION) && cdf(x + next) >= p * (1 - PRECISION));
    });
    expect(wrong.map(([p]) => [p, quantile(p), cdf(quantile(p))])).toEqual([]);
  });

  test('draws agree with the distribution and stay within its support', () => {
    const random = Random.of(1, 'x');
    const drawn = Float64Array.from({ length: ROWS }, (_, row) => draw(random.at(row)));
    expect([...drawn].filter((x) => !(x >= support[0] && x <= support[1] && Number.isFinite(x)))).toEqual([]);
    expect(misfit(distribution, drawn)).toBeLessThan(1);
  });
});

test('every distribution is compared with scipy, here or in facts.json', () => {
  const names = new Set([...Object.keys(mostUsed), ...known.map(({ name }) => name)]);
  expect(distributionNames().filter((name) => !names.has(name))).toEqual([]);
});

test.each([
  ['powernorm', { c: 0.001 }, 1 - 1e-10],
  ['burr', { c: 3, d: 0.001 }, 0.3],
  ['exponweib', { a: 0.001, c: 2 }, 0.3],
  ['kappa4', { h: -50, k: 0.1 }, 1e-10],
  ['invgauss', { mu: 1e-6 }, 1e-10],
  ['invgauss', { mu: 1e6 }, 0.999],
  ['exponnorm', { K: 1e-3 }, 1e-10],
  ['irwinhall', { n: 60 }, 1e-10],
  ['genexpon', { a: 1e-6, b: 3, c: 1e-3 }, 1e-10],
  ['ncx2', { df: 2, nc: 4000 }, 1e-10],
  ['argus', { chi: 60 }, 1e-10],
  ['alpha', { a: 60 }, 1 - 1e-10],
  ['zipfian', { a: 1, n: 2 ** 40 }, 0.7],
  ['betanbinom', { n: 3, a: 0.2, b: 2 }, 0.8],
  ['skellam', { mu1: 1e6, mu2: 1e6 }, 0.01],
])('%s %o keeps its digits at extreme parameters', (distName, distParams, p) => {
  const { discrete, cdf, quantile } = namedDistribution({ distName, distParams });
  const x = quantile(p);
  expect(Number.isFinite(x)).toBe(true);
  const next = discrete ? 1 : 4 * Number.EPSILON * Math.abs(x);
  expect(cdf(x - next)).toBeLessThanOrEqual(p * (1 + PRECISION));
  expect(cdf(x + (discrete ? 0 : next))).toBeGreaterThanOrEqual(p * (1 - PRECISION));
});
