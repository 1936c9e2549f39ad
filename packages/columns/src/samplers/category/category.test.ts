import { Float, Random } from '@data-designer/core';
import { expect, test } from 'vitest';
import { category } from './category.ts';

function sample(params: unknown, rows = 4000): unknown[] {
  const draw = category.draw(category.schema.parse(params), 'c');
  const random = Random.of(5, 'c');
  return Array.from({ length: rows }, (_, row) => draw(random.at(row), []));
}

test('draws every value about equally often without weights', () => {
  const drawn = sample({ values: ['a', 'b', 'c', 'd'] });
  for (const value of ['a', 'b', 'c', 'd']) {
    // 5.5 standard errors of a share of 1/4 over 4,000 draws
    expect(Math.abs(drawn.filter((one) => one === value).length / 4000 - 0.25)).toBeLessThan(0.038);
  }
});

test('draws by weight, and never a value whose weight is 0', () => {
  const drawn = sample({ values: ['a', 'b', 'c'], weights: [3, 1, 0] });
  expect(Math.abs(drawn.filter((one) => one === 'a').length / 4000 - 0.75)).toBeLessThan(0.038);
  expect(drawn).not.toContain('c');
});

test.each<[readonly unknown[], string, readonly unknown[]]>([
  [[1, 2], 'int64', [1, 2]],
  [[1, 2.5], 'float64', [1, 2.5]],
  [[1, new Float(2)], 'float64', [1, 2]],
  [[1, 'a', 2.5, new Float(3)], 'utf8', ['1', 'a', '2.5', '3.0']],
])('the values %j come out as %s', (values, type, distinct) => {
  const params = category.schema.parse({ values });
  expect(category.arrow(params)).toBe(type);
  expect(new Set(sample({ values }, 200))).toEqual(new Set(distinct));
});

test.each([
  [{ values: [] }, /values/],
  [{ values: ['a'], weights: [1, 2] }, /one weight per value/],
  [{ values: ['a', 'b'], weights: [0, 0] }, /above 0/],
  [{ values: ['a', 'b'], weights: [-1, 2] }, /weights/],
  [{ values: [null] }, /values/],
])('refuses %j', (params, reason) => {
  const parsed = category.schema.safeParse(params);
  expect(JSON.stringify(parsed.error?.issues)).toMatch(reason);
});
