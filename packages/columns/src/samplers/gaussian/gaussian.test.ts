import { expect, test } from 'vitest';
import { readForm } from '@data-designer/config';
import { Random, type Surroundings } from '@data-designer/core';
import { gaussian } from './gaussian.ts';

const { distribution } = gaussian as Extract<typeof gaussian, { distribution: unknown }>;

const alone: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };

function check(params: unknown) {
  const parsed = gaussian.schema.parse(readForm(gaussian.schema, params));
  return gaussian.check?.(parsed, alone).map(({ field, message }) => [field.join('.'), message]);
}

test('reads snake_case keys, and does not round by default', () => {
  const parsed = gaussian.schema.parse(readForm(gaussian.schema, { mean: 1, stddev: '2', decimal_places: 3 }));
  expect(parsed).toEqual({ samplerType: 'gaussian', mean: 1, stddev: 2, decimalPlaces: 3 });
  expect(gaussian.schema.parse({ mean: 0, stddev: 1 }).decimalPlaces).toBeNull();
});

test('accepts a standard deviation of 0 or more', () => {
  expect(check({ mean: -3, stddev: 0 })).toEqual([]);
  expect(check({ mean: 0, stddev: 1.5, decimal_places: 0 })).toEqual([]);
});

test.each([
  [{ mean: 0, stddev: -1 }, 'stddev', /must be 0 or more, but is -1/],
  [{ mean: 'nan', stddev: 1 }, 'mean', /finite number, but is nan/],
  [{ mean: 0, stddev: '-inf' }, 'stddev', /finite number, but is -inf/],
])('%j loads, and the check reports it', (params, field, message) => {
  expect(check(params)).toEqual([[field, expect.stringMatching(message)]]);
});

test('refuses an unknown parameter and text that is not a number', () => {
  expect(gaussian.schema.safeParse({ mean: 0, std: 1, stddev: 1 }).success).toBe(false);
  expect(gaussian.schema.safeParse(readForm(gaussian.schema, { mean: 'low', stddev: 1 })).success).toBe(false);
});

const spread = (stddev: number) => distribution(gaussian.schema.parse({ mean: -3, stddev }));

test('a standard deviation of 0 always draws the mean; any other has the mean as its median', () => {
  expect(spread(0).draw(Random.of(1, 'x'))).toBe(-3);
  expect(spread(2).cdf(-3)).toBe(0.5);
  expect(spread(2).quantile(0.975)).toBeCloseTo(-3 + 2 * 1.959963984540054, 12);
});
