import { expect, test } from 'vitest';
import { namedDistribution } from '../samplers/scipy/named-distribution.ts';
import { mixedWithZero } from './mixture.ts';
import { constant } from './shift-and-scale.ts';

const standardNormal = namedDistribution({ distName: 'norm', distParams: {} });

test('has a step at 0', () => {
  const { cdf, quantile, support } = mixedWithZero(0.5, standardNormal);
  expect([cdf(-1e-12), cdf(0)].map((p) => Math.round(p * 1e6) / 1e6)).toEqual([0.25, 0.75]);
  expect([quantile(0.26), quantile(0.5), quantile(0.75)]).toEqual([0, 0, 0]);
  expect(quantile(0.125)).toBeCloseTo(standardNormal.quantile(0.25), 14);
  expect(quantile(0.875)).toBeCloseTo(standardNormal.quantile(0.75), 14);
  expect(support).toEqual([-Infinity, Infinity]);
});

test('covers 0 and the values of its distribution', () => {
  const { cdf, quantile, support } = mixedWithZero(0.25, constant(-4));
  expect(support).toEqual([-4, 0]);
  expect([cdf(-5), cdf(-4), cdf(-1), cdf(0)]).toEqual([0, 0.25, 0.25, 1]);
  expect([quantile(0.2), quantile(0.25), quantile(0.3), quantile(0.99)]).toEqual([-4, -4, 0, 0]);
});

test('is always 0 with probability 0, and the distribution itself with probability 1', () => {
  expect(mixedWithZero(0, standardNormal)).toMatchObject({ support: [0, 0], discrete: false });
  expect(mixedWithZero(1, standardNormal)).toBe(standardNormal);
});
