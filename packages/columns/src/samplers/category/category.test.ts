import { expect, test } from 'vitest';
import { readForm } from '@data-designer/config';
import { Float, Random, type Surroundings } from '@data-designer/core';
import { category } from './category.ts';

const alone: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };

type Drawn = Extract<typeof category, { draw: unknown }>;

function sample(params: unknown, rows = 4000): unknown[] {
  const draw = (category as Drawn).draw(category.schema.parse(params), 'c');
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
])('the values %j are stored as %s', (values, type, distinct) => {
  const params = category.schema.parse({ values });
  expect(category.arrow(params)).toBe(type);
  expect(new Set(sample({ values }, 200))).toEqual(new Set(distinct));
});

test('loading scales weights to a sum of 1', () => {
  expect(category.schema.parse({ values: ['a', 'b'], weights: [3, 1] }).weights).toEqual([0.75, 0.25]);
  expect(category.schema.parse({ values: ['a', 'b'] }).weights).toBeNull();
});

test('values keep their types, except booleans, which become integers', () => {
  const written = ['y', '1e3', 7, 2.5, new Float(1), 12345678901234567890n, true, false];
  const read = ['y', '1e3', 7, 2.5, new Float(1), 12345678901234567890n, 1, 0];
  expect(category.schema.parse(readForm(category.schema, { values: written })).values).toEqual(read);
});

test.each([
  [{ values: [] }, 'values', /empty/],
  [{ values: ['a'], weights: [1, 2] }, 'weights', /one weight per value/],
  [{ values: ['a', 'b'], weights: [0, 0] }, 'weights', /other than 0/],
  [{ values: ['a', 'b'], weights: [-1, 1] }, 'weights', /other than 0/],
  [{ values: [null] }, 'values.0', /./],
  [{ values: ['a'], weight: [1] }, '', /weight/],
])('refuses %j', (params, path, reason) => {
  const issues = category.schema.safeParse(readForm(category.schema, params)).error?.issues ?? [];
  expect(issues.map((issue) => issue.path.join('.'))).toEqual([path]);
  expect(issues[0]?.message).toMatch(reason);
});

test.each([
  [[-1, 2], ['weights.0']],
  [[1, Infinity], ['weights.1']],
  [
    [NaN, 1],
    ['weights.0', 'weights.1'],
  ],
  [[-1, -1], []],
  [[2, 0], []],
])('the weights %j load, and the check reports %j', (weights, fields) => {
  const found = category.check?.(category.schema.parse({ values: ['a', 'b'], weights }), alone);
  expect(found?.map(({ field }) => field.join('.'))).toEqual(fields);
  expect(found?.every(({ stage, level }) => stage === 'run' && level === 'ERROR')).toBe(true);
});

test.each<[readonly unknown[], readonly unknown[]]>([
  [[2n ** 53n + 1n, 0.5], [{ level: 'WARNING', field: ['values', 0] }]],
  [[2n ** 53n + 1n, 1n], []],
  [[2n ** 62n, 0.5], []],
  [[2n ** 53n + 1n, 0.5, 'a'], []],
])('of the values %o, those that are rounded are warned of', (values, found) => {
  expect(category.check?.(category.schema.parse({ values }), alone)).toMatchObject(found);
});
