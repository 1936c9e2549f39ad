import { expect, test } from 'vitest';
import { Random, type Surroundings } from '@data-designer/core';
import { poisson } from './poisson.ts';

const { distribution } = poisson as Extract<typeof poisson, { distribution: unknown }>;

const alone: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };

test('accepts a mean of 0 and stores integers', () => {
  const params = poisson.schema.parse({ mean: 0 });
  expect(poisson.check?.(params, alone)).toEqual([]);
  expect(poisson.arrow(params)).toBe('int64');
});

test.each([[-0.5], [Infinity], [NaN]])('a mean of %d loads, and the check reports it once', (mean) => {
  const found = poisson.check?.(poisson.schema.parse({ mean }), alone);
  expect(found).toMatchObject([{ stage: 'run', field: ['mean'] }]);
});

test('refuses parameters without a mean', () => {
  expect(poisson.schema.safeParse({}).success).toBe(false);
});

test('a mean of 0 always draws 0', () => {
  const { draw, support } = distribution(poisson.schema.parse({ mean: 0 }));
  expect(draw(Random.of(1, 'x'))).toBe(0);
  expect(support).toEqual([0, 0]);
});
