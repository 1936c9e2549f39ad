import { expect, test } from 'vitest';
import { msOfRetryAfter } from './retry-after.ts';

const NOW = Date.UTC(2026, 0, 1);

test.each([
  ['2', 2000],
  [' 0.5 ', 500],
  ['0', 0],
  ['-3', -3000],
  ['Thu, 01 Jan 2026 00:00:05 GMT', 5000],
  ['Wed, 31 Dec 2025 23:59:59 GMT', -1000],
  [String(NOW / 1000 + 7), 7000],
  [String(NOW + 250), 250],
  ['', undefined],
  ['soon', undefined],
  ['Infinity', undefined],
  [null, undefined],
  [undefined, undefined],
])('a Retry-After of %j asks for %s ms', (header, ms) => {
  expect(msOfRetryAfter(header, NOW)).toBe(ms);
});
