import { expect, test } from 'vitest';
import { Random, type Surroundings } from '@data-designer/core';
import { bernoulliMixture } from './bernoulli-mixture.ts';

const { distribution } = bernoulliMixture as Extract<typeof bernoulliMixture, { distribution: unknown }>;

const alone: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };

const parsed = (distName: string, distParams = {}) => bernoulliMixture.schema.parse({ p: 0.5, distName, distParams });

test('stores integers if its distribution draws them, floats otherwise', () => {
  expect(bernoulliMixture.arrow(parsed('poisson', { mu: 4 }))).toBe('int64');
  expect(bernoulliMixture.arrow(parsed('expon'))).toBe('float64');
});

test('the check validates the distribution, loading does not', () => {
  expect(bernoulliMixture.check?.(parsed('gamma', { a: 2 }), alone)).toEqual([]);
  expect(bernoulliMixture.check?.(parsed('gamma'), alone)).toMatchObject([{ stage: 'run', field: ['distParams'] }]);
});

test('refuses a probability above 1', () => {
  const issues = bernoulliMixture.schema.safeParse({ p: 2, distName: 'norm', distParams: {} }).error?.issues;
  expect(issues).toMatchObject([
    { path: ['p'], message: 'a probability must be between 0 and 1, but is 2; use a number from 0 to 1' },
  ]);
});

test.each([[{ p: 1, distParams: {} }], [{ p: 1, distName: 'norm' }]])('needs a distribution: %j', (params) => {
  expect(bernoulliMixture.schema.safeParse(params).success).toBe(false);
});

test('draws 0 or a value of its distribution, integers if the distribution draws them', () => {
  const { discrete, cdf, draw } = distribution({ ...parsed('randint', { low: 5, high: 6 }), p: 0.25 });
  const random = Random.of(1, 'x');
  expect(discrete).toBe(true);
  expect([cdf(-1), cdf(0), cdf(5)]).toEqual([0, 0.75, 1]);
  expect(new Set(Array.from({ length: 50 }, (_, row) => draw(random.at(row))))).toEqual(new Set([0, 5]));
});
