import { expect, test } from 'vitest';
import { matchesPattern } from './name-pattern.ts';

test.each([
  ['scratch_a', 'scratch_*', true],
  ['scratch_a', 'scratch_?', false],
  ['ab', '*', true],
  ['a.b', 'a.*', true],
  ['axb', 'a.*', false],
  ['a1', 'a[0-9]*', true],
  ['ab', 'a[!0-9]*', true],
  ['a1', 'a[!0-9]*', false],
  ['a[', 'a[*', true],
  ['a]b', 'a]*', true],
  ['(x)', '(x)', true],
  ['two\nlines', 'two*', true],
  ['a^', 'a[^]*', true],
  ['az', 'a[z-a]*', false],
])('matching %j against the pattern %j gives %s', (name, pattern, matches) => {
  expect(matchesPattern(name, pattern)).toBe(matches);
});
