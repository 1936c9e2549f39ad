import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { uniformWithin } from './uniform.ts';

const random = Random.of(1, 'uniform');

test.each([
  [1, 1 + Number.EPSILON],
  [-1 - Number.EPSILON, -1],
  [-Number.MIN_VALUE, 0],
  [0, Number.MIN_VALUE],
  [2 ** 53, 2 ** 53 + 4],
  [-1e16, 3],
  [-Number.MAX_VALUE, Number.MAX_VALUE],
])('never reaches the upper bound: %d to %d', (low, high) => {
  const { draw, quantile, support } = uniformWithin(low, high);
  const drawn = Array.from({ length: 5000 }, (_, row) => draw(random.at(row)));
  expect(drawn.filter((x) => !(x >= low && x < high))).toEqual([]);
  expect(support[1]).toBeLessThan(high);
  expect(quantile(1)).toBe(support[1]);
  expect(quantile(0)).toBe(low);
});

test('the highest value is the next float below the upper bound', () => {
  expect(uniformWithin(0, 1).support).toEqual([0, 1 - Number.EPSILON / 2]);
  expect(uniformWithin(-2, 0).support).toEqual([-2, -Number.MIN_VALUE]);
});

test('always draws the single value of equal bounds', () => {
  const { draw, cdf, support } = uniformWithin(3, 3);
  expect([draw(random.at(0)), cdf(2.9), cdf(3)]).toEqual([3, 0, 1]);
  expect(support).toEqual([3, 3]);
});

test('quantile is the inverse of cdf', () => {
  const { cdf, quantile } = uniformWithin(-2, 8);
  expect(cdf(0.5)).toBe(0.25);
  expect(quantile(0.25)).toBe(0.5);
});
