import { readForm } from '@data-designer/config';
import { expect, test } from 'vitest';
import { bernoulli } from './bernoulli.ts';

const parsed = (p: unknown) => bernoulli.schema.parse(readForm(bernoulli.schema, { p }));

test('takes a probability, in every form that a number may have', () => {
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
