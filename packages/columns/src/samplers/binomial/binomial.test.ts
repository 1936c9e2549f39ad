import { expect, test } from 'vitest';
import { readForm } from '@data-designer/config';
import { Float, Random, type Surroundings } from '@data-designer/core';
import { binomial } from './binomial.ts';

const { distribution } = binomial as Extract<typeof binomial, { distribution: unknown }>;

const alone: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };

const parsed = (n: unknown) => binomial.schema.parse(readForm(binomial.schema, { n, p: '0.5' }));
const check = (n: number) => binomial.check?.(parsed(n), alone);

test('accepts an integral float or text as the number of trials', () => {
  expect(parsed(new Float(3))).toEqual({ samplerType: 'binomial', n: 3, p: 0.5 });
  expect(parsed('6').n).toBe(6);
});

test.each([[3.5], ['3.5'], [null]])('refuses %j trials', (n) => {
  const refused = binomial.schema.safeParse(readForm(binomial.schema, { n, p: 0.5 }));
  expect(refused.error?.issues).toMatchObject([{ path: ['n'] }]);
});

test('a negative number of trials loads, and the check reports it', () => {
  expect(check(0)).toEqual([]);
  expect(check(-1)).toMatchObject([{ stage: 'run', level: 'ERROR', field: ['n'] }]);
});

const drawn = (n: number, p: number) => distribution({ ...parsed(n), p }).draw(Random.of(1, 'x'));

test('counts no successes at probability 0, and every trial at probability 1', () => {
  expect([drawn(7, 0), drawn(7, 1), drawn(0, 0.5)]).toEqual([0, 7, 0]);
});
