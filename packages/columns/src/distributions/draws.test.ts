import { describe, expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import type { NumberDistribution } from '../define-sampler.ts';
import { namedDistribution } from '../samplers/scipy/named-distribution.ts';
import { chiSquared, kolmogorovSmirnov } from '../../test/goodness-of-fit.ts';
import { mixedWithZero } from './mixture.ts';
import { uniformWithin } from './uniform.ts';

const ROWS = 20_000;

type Params = Readonly<Record<string, number>>;

const named = (distName: string, distParams: Params) => namedDistribution({ distName, distParams });

const CONTINUOUS: readonly (readonly [string, Params])[] = [
  ['norm', { loc: 100, scale: 15 }],
  ['lognorm', { s: 0.4 }],
  ['lognorm', { s: 5, scale: 3 }],
  ['expon', { loc: -1, scale: 1e-3 }],
  ['gamma', { a: 0.05 }],
  ['gamma', { a: 0.9 }],
  ['gamma', { a: 1 }],
  ['gamma', { a: 7.5, scale: 2 }],
  ['gamma', { a: 1e6 }],
  ['beta', { a: 0.5, b: 0.5 }],
  ['beta', { a: 0.4, b: 30 }],
  ['beta', { a: 2, b: 5 }],
  ['beta', { a: 1e4, b: 1e4 }],
  ['uniform', { loc: -5, scale: 10 }],
  ['triang', { c: 0 }],
  ['triang', { c: 0.3, loc: 4, scale: 2 }],
  ['triang', { c: 1 }],
  ['weibull_min', { c: 0.3 }],
  ['weibull_min', { c: 4 }],
  ['pareto', { b: 0.1 }],
  ['pareto', { b: 3 }],
  ['chi2', { df: 1 }],
  ['chi2', { df: 50 }],
  ['t', { df: 0.1 }],
  ['t', { df: 1 }],
  ['t', { df: 12 }],
  ['t', { df: 1e6 }],
  ['t', { df: Infinity }],
  ['f', { dfn: 2, dfd: 3 }],
  ['f', { dfn: 0.3, dfd: 0.4 }],
  ['f', { dfn: 100, dfd: 1e5 }],
  ['cauchy', {}],
  ['laplace', { loc: 1 }],
  ['logistic', {}],
  ['gumbel_r', { scale: 3 }],
  ['rayleigh', {}],
  ['truncnorm', { a: -1, b: 2 }],
  ['truncnorm', { a: -Infinity, b: 0.5 }],
  ['truncnorm', { a: 8, b: Infinity }],
  ['truncnorm', { a: -Infinity, b: -30 }],
  ['truncnorm', { a: 0, b: 1e-3 }],
  ['truncnorm', { a: 200, b: 200.01 }],
];

const DISCRETE: readonly (readonly [string, Params])[] = [
  ['poisson', { mu: 0 }],
  ['poisson', { mu: 1e-3 }],
  ['poisson', { mu: 30, loc: -4 }],
  ['poisson', { mu: 1e3 }],
  ['poisson', { mu: 3e5 }],
  ['poisson', { mu: 1e9 }],
  ['binom', { n: 10, p: 0.3 }],
  ['binom', { n: 5, p: 0 }],
  ['binom', { n: 5, p: 1 }],
  ['binom', { n: 1e7, p: 0.02 }],
  ['binom', { n: 1e7, p: 0.9 }],
  ['binom', { n: 1e12, p: 1e-12 }],
  ['binom', { n: 1e12, p: 0.5 }],
  ['nbinom', { n: 2.5, p: 0.2 }],
  ['nbinom', { n: 0.1, p: 1e-5 }],
  ['nbinom', { n: 400, p: 1e-3 }],
  ['nbinom', { n: 3, p: 1 }],
  ['geom', { p: 0.25 }],
  ['geom', { p: 1e-7 }],
  ['geom', { p: 1 }],
  ['randint', { low: -3, high: 9 }],
  ['randint', { low: 0, high: 2 ** 53 }],
  ['randint', { low: -(2 ** 53), high: 2 ** 53 }],
  ['hypergeom', { M: 60, n: 20, N: 15 }],
  ['hypergeom', { M: 60, n: 50, N: 40, loc: 1.5 }],
  ['hypergeom', { M: 1e6, n: 3e5, N: 4e5 }],
  ['hypergeom', { M: 1e6, n: 7e5, N: 8e5 }],
  ['zipf', { a: 1.01 }],
  ['zipf', { a: 1.5 }],
  ['zipf', { a: 10 }],
  ['bernoulli', { p: 0.3 }],
];

/** One draw per row. */
function draws(distribution: NumberDistribution): Float64Array {
  const random = Random.of(1, 'x');
  return Float64Array.from({ length: ROWS }, (_, row) => distribution.draw(random.at(row)));
}

function leaves({ support: [lowest, highest] }: NumberDistribution, drawn: Float64Array): readonly number[] {
  return [...drawn].filter((x) => !(x >= lowest && x <= highest && Number.isFinite(x)));
}

/** Distinct cell bounds of about equal probability. */
function cells(distribution: NumberDistribution): readonly number[] {
  const bounds = Array.from({ length: 59 }, (_, at) => distribution.quantile((at + 1) / 60));
  return [...new Set(bounds)].toSorted((a, b) => a - b);
}

describe.each(CONTINUOUS)('%s %o', (name, params) => {
  const distribution = named(name, params);
  const drawn = draws(distribution);

  test('draws agree with the distribution', () => {
    expect(kolmogorovSmirnov(drawn, distribution.cdf)).toBeLessThan(1.95);
  });

  test('stays within its support', () => {
    expect(leaves(distribution, drawn)).toEqual([]);
  });
});

describe.each(DISCRETE)('%s %o', (name, params) => {
  const distribution = named(name, params);
  const drawn = draws(distribution);

  test('draws agree with the distribution', () => {
    expect(chiSquared(drawn, distribution.cdf, cells(distribution)).score).toBeLessThan(3.3);
  });

  test('draws only integers within its support', () => {
    expect(leaves(distribution, drawn)).toEqual([]);
    expect([...drawn].filter((x) => !Number.isSafeInteger(x) || Object.is(x, -0))).toEqual([]);
  });
});

test.each([
  ['gamma', { a: 1e-3 }],
  ['beta', { a: 0.01, b: 0.01 }],
  ['pareto', { b: 1e-3 }],
  ['t', { df: 1e-3 }],
])('%s %o clamps draws beyond the range of floats', (name, params) => {
  const distribution = named(name, params);
  const drawn = draws(distribution);
  expect(leaves(distribution, drawn)).toEqual([]);
  const bounds = cells(distribution).filter((x) => Math.abs(x) < Number.MAX_VALUE && Math.abs(x) > 1e-290 && x < 1);
  expect(chiSquared(drawn, distribution.cdf, bounds).score).toBeLessThan(3.3);
});

test('uniform draws agree with their distribution, even over the full float range', () => {
  for (const [low, high] of [
    [2, 3],
    [-1.7e308, 1.7e308],
  ] as const) {
    const distribution = uniformWithin(low, high);
    const drawn = draws(distribution);
    expect(kolmogorovSmirnov(drawn, distribution.cdf)).toBeLessThan(1.95);
    expect(leaves(distribution, drawn)).toEqual([]);
  }
});

test.each([
  [0.3, 'expon', { loc: 1 }],
  [0.8, 'norm', {}],
  [0.5, 'poisson', { mu: 2 }],
  [0.5, 'randint', { low: -3, high: 3 }],
])('a mixture of 0 and, with probability %d, %s %o agrees with its distribution', (p, name, params) => {
  const distribution = mixedWithZero(p, named(name, params));
  const drawn = draws(distribution);
  expect(chiSquared(drawn, distribution.cdf, cells(distribution)).score).toBeLessThan(3.3);
  expect(leaves(distribution, drawn)).toEqual([]);
});

test('a draw does not depend on earlier draws', () => {
  for (const [name, params] of [...CONTINUOUS, ...DISCRETE]) {
    const distribution = named(name, params);
    const random = Random.of(1, 'x');
    const first = [5, 6, 7].map((row) => distribution.draw(random.at(row)));
    expect([7, 6, 5].map((row) => distribution.draw(random.at(row))).toReversed()).toEqual(first);
  }
});
