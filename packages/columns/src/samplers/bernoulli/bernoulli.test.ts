import { expect, test } from 'vitest';
import { readForm } from '@data-designer/config';
import { Random } from '@data-designer/core';
import { bernoulli } from './bernoulli.ts';

const { distribution } = bernoulli as Extract<typeof bernoulli, { distribution: unknown }>;

const parsed = (p: unknown) => bernoulli.schema.parse(readForm(bernoulli.schema, { p }));

test('accepts a probability in every numeric form', () => {
  expect(parsed(0.25)).toEqual({ samplerType: 'bernoulli', p: 0.25 });
  expect(parsed('5e-1').p).toBe(0.5);
  expect(parsed(true).p).toBe(1);
});

test.each([[{ p: 1.2 }], [{ p: -0.1 }], [{ p: NaN }], [{ p: null }], [{}]])('refuses %j', (params) => {
  expect(bernoulli.schema.safeParse(params).error?.issues).toMatchObject([{ path: ['p'] }]);
});

test('draws integers', () => {
  expect(bernoulli.arrow(bernoulli.schema.parse({ p: 1 }))).toBe('int64');
});

test.each([
  [0, [0, 0]],
  [1, [1, 1]],
  [0.5, [0, 1]],
])('with probability %d the lowest and the highest value are %j', (p, support) => {
  const made = distribution(parsed(p));
  expect(made.support).toEqual(support);
  expect(support).toContain(made.draw(Random.of(1, 'x')));
});
