import { expect, test } from 'vitest';
import { retryAfterOf } from './retry-after.ts';

const NOW = 10_000;

const after = (headers: Record<string, string>, body: unknown = '', status = 429) =>
  retryAfterOf({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }, NOW);
const error = (message: string, more: object = {}) => ({ error: { code: 429, message, ...more } });

test('the header in milliseconds is the most exact one', () => {
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
])('of %j it reads when to come back', (body, ms) => {
  expect(after({}, body)).toBe(ms);
});

test('words are read of a 429 alone', () => {
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
])('a limit of which nothing is left is waited for: %j', (headers, ms) => {
  expect(after(headers)).toBe(ms);
});
