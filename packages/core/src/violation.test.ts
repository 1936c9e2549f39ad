import { expect, test } from 'vitest';
import { printNames } from './violation.ts';

test.each([
  [[], 2, ''],
  [['a'], 2, 'a'],
  [['a', 'b'], 2, 'a, b'],
  [['a', 'b', 'c'], 2, 'a, b and 1 more'],
  [[4, 5, 6, 7], 1, '4 and 3 more'],
])('of %j at most %i are named: %s', (names, most, text) => {
  expect(printNames(names, most)).toBe(text);
});

test('a list of names ends after the thirtieth', () => {
  expect(printNames(Array.from({ length: 31 }, (_, at) => at))).toMatch(/^0, 1, .* 28, 29 and 1 more$/);
});
