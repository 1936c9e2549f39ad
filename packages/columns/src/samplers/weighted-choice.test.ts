import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { weightedChoice } from './weighted-choice.ts';

test('draws values in proportion to their weights', () => {
  const choose = weightedChoice(['a', 'b', 'c'], [1, 0, 3]);
  const random = Random.of(1, 'choice');
  const drawn = Array.from({ length: 20_000 }, (_, row) => choose(random.at(row)));
  expect(drawn.filter((value) => value === 'c').length / drawn.length).toBeCloseTo(0.75, 1);
  expect(drawn).not.toContain('b');
});

test('always draws a single value', () => {
  expect(weightedChoice(['only'], [0.3])(Random.of(1, 'choice'))).toBe('only');
});
