import { expect, test } from 'vitest';
import { parseDuration } from './parse-flags.ts';

test.each([
  ['90s', 90],
  ['1.5m', 90],
  ['2h', 7200],
  ['1d', 86_400],
  ['596h', 2_145_600],
])('%s is parsed to %d seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

test.each(['600h', '25d', '2147484s'])('%s is refused because no timer can hold it', (text) => {
  expect(() => parseDuration(text)).toThrow('at most 596h');
});

test.each(['soon', '0s', '90', '-1h', '1w'])('%s is refused because it is not a time', (text) => {
  expect(() => parseDuration(text)).toThrow('such as 90s, 30m, 2h or 1d');
});
