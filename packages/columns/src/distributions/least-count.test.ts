import { expect, test } from 'vitest';
import { leastCount } from './least-count.ts';

test.each([
  [0, 100, 50, 1, 37],
  [0, 100, 0, 1, 100],
  [0, 100, 100, 1, 0],
  [0, 2 ** 53, 3, 1, 2 ** 53 - 1],
  [-(2 ** 53), 2 ** 53, -1e300, 1e9, 12],
  [5, 5, 0, 1, 5],
])('between %d and %d, searching from %d in steps of %d, finds %d', (...[lowest, highest, guess, step, least]) => {
  let asked = 0;
  const holds = (count: number): boolean => ++asked > 0 && count >= least;
  expect(leastCount(holds, { lowest, highest, guess, step })).toBe(least);
  expect(asked).toBeLessThan(120);
});
