import { expect, test } from 'vitest';
import { readRetryAfter } from './read-retry-after.ts';

const NOW = 10_000;

test.each([
  ['2', 2000],
  ['0.5', 500],
  ['Thu, 01 Jan 1970 00:01:40 GMT', 90_000],
  ['0', undefined],
  ['-3', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %s means %s ms', (header, ms) => {
  expect(readRetryAfter(header, NOW)).toBe(ms);
});

test('a Retry-After that is a moment, in seconds or milliseconds, is waited for and not counted down', () => {
  const now = Date.UTC(2026, 0, 1);
  expect(readRetryAfter(String(now / 1000 + 3), now)).toBe(3000);
  expect(readRetryAfter(String(now + 3000), now)).toBe(3000);
  expect(readRetryAfter(String(now / 1000 - 3), now)).toBeUndefined();
});
