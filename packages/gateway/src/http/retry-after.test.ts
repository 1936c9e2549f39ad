import { expect, test } from 'vitest';
import { readRetryAfter, retryAfterOf } from './retry-after.ts';

const NOW = 10_000;

const after = (headers: Record<string, string>, body: unknown = '', status = 429) =>
  retryAfterOf({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }, NOW);
const error = (message: string, more: object = {}) => ({ error: { code: 429, message, ...more } });

test('the header in milliseconds wins over the one in seconds, and that over the body', () => {
  expect(after({ 'retry-after-ms': '1250', 'retry-after': '2' }, error('retry in 9s'))).toBe(1250);
  expect(after({ 'retry-after': '2' }, error('retry in 9s'))).toBe(2000);
  expect(after({ 'retry-after': '2' }, '', 503)).toBe(2000);
});

test.each([
  [error('Quota exceeded for metric requests per minute, limit: 10. Please retry in 1.2s.'), 1200],
  [[error('Slow', { details: [{ '@type': 'RetryInfo', retryDelay: '37s' }] })], 37_000],
  [error('Rate limit reached for m. Please try again in 6ms.'), 6],
  [error('Rate limit reached. Please try again in 1m2.5s. Visit us'), 62_500],
  [error('Please retry after 6 seconds.'), 6000],
  [error('Please retry after a while.'), undefined],
  ['try again in 3s', 3000],
  ['{"error": {"message": "slow"}, "prompt": "retry in 9s"}', undefined],
])('the wait is read from the body %j', (body, ms) => {
  expect(after({}, body)).toBe(ms);
});

test('the wait is read from the body of a 429 alone', () => {
  expect(after({}, error('try again in 3s'), 503)).toBeUndefined();
});

test.each([
  [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '12' }, 2000 * 6],
  [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${1e12 + NOW + 70}` }, 1e12 + 70],
  [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' }, 360_000],
  [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '250ms' }, 250],
  [{ 'x-ratelimit-remaining-tokens': '7', 'x-ratelimit-reset-tokens': '250ms' }, undefined],
  [{ 'x-ratelimit-reset': '12' }, undefined],
  [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'tomorrow' }, undefined],
])('an exhausted rate limit is waited out until its reset: %j', (headers, ms) => {
  expect(after(headers)).toBe(ms);
});

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

test('a Retry-After with a point in time, in seconds or milliseconds, means the wait until then', () => {
  const now = Date.UTC(2026, 0, 1);
  expect(readRetryAfter(String(now / 1000 + 3), now)).toBe(3000);
  expect(readRetryAfter(String(now + 3000), now)).toBe(3000);
  expect(readRetryAfter(String(now / 1000 - 3), now)).toBeUndefined();
});
