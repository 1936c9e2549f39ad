import { expect, test } from 'vitest';
import { Float, Random } from '@data-designer/core';
import { isDiscrete } from './distributions.ts';
import { mostUsed } from './families/most-used.ts';
import { namedDistribution } from './named-distribution.ts';

const random = Random.of(1, 'named');

const SHAPES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  lognorm: { s: 1 },
  gamma: { a: 1 },
  beta: { a: 1, b: 1 },
  triang: { c: 0.5 },
  weibull_min: { c: 1 },
  pareto: { b: 1 },
  chi2: { df: 2 },
  t: { df: 2 },
  f: { dfn: 2, dfd: 2 },
  truncnorm: { a: -1, b: 1 },
  poisson: { mu: 2 },
  binom: { n: 3, p: 0.5 },
  nbinom: { n: 3, p: 0.5 },
  geom: { p: 0.5 },
  randint: { low: 0, high: 3 },
  hypergeom: { M: 10, n: 4, N: 5 },
  zipf: { a: 2 },
  bernoulli: { p: 0.5 },
};

test.each(Object.keys(mostUsed))('%s draws numbers and declares whether they are integers', (distName) => {
  const distribution = namedDistribution({ distName, distParams: SHAPES[distName] ?? {} });
  expect(distribution.discrete).toBe(isDiscrete(distName));
  expect(distribution.draw(random.at(0))).toEqual(expect.any(Number));
});

test('reads big integers, Float objects and booleans as numbers', () => {
  const distParams = { loc: 3n, scale: new Float(2), c: true };
  const { support, quantile } = namedDistribution({ distName: 'triang', distParams });
  expect(support).toEqual([3, 5]);
  expect(quantile(0.25)).toBe(4);
});

test('a scale of 0 always draws loc', () => {
  const { support, draw, cdf } = namedDistribution({ distName: 'cauchy', distParams: { loc: 2.5, scale: 0 } });
  expect(support).toEqual([2.5, 2.5]);
  expect([draw(random.at(3)), cdf(2.4), cdf(2.5)]).toEqual([2.5, 0, 1]);
});

test('integers shifted by a fraction are truncated towards 0', () => {
  const distribution = namedDistribution({ distName: 'randint', distParams: { low: 0, high: 4, loc: -1.5 } });
  // -1.5, -0.5, 0.5 and 1.5.
  expect(distribution.support).toEqual([-1, 1]);
  expect([-2, -1, 0, 0.9, 1].map(distribution.cdf)).toEqual([0, 0.25, 0.75, 0.75, 1]);
  expect([0.2, 0.3, 0.75, 0.8].map(distribution.quantile)).toEqual([-1, 0, 0, 1]);
});

test('clamps unsafe integers to the nearest safe integer', () => {
  const { support, draw, cdf, quantile } = namedDistribution({ distName: 'geom', distParams: { p: 1e-18 } });
  expect(support).toEqual([1, Number.MAX_SAFE_INTEGER]);
  expect([draw(random.at(0)), quantile(0.9)]).toEqual([Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);
  expect(cdf(Number.MAX_SAFE_INTEGER - 1)).toBeLessThan(0.01);
  expect(cdf(Number.MAX_SAFE_INTEGER)).toBe(1);
});

test('throws for an unknown distribution', () => {
  expect(() => namedDistribution({ distName: 'toString', distParams: {} })).toThrow(/no distribution 'toString'/);
});
