import { expect, test } from 'vitest';
import { refusalText, isOutOfCredit } from './refusal-text.ts';

test.each([
  [{ error: { message: 'Slow down', code: 'rate_limit', type: 'x', prompt: 'asked' } }, 'Slow down\nrate_limit\nx'],
  [{ message: 'plain', code: 7, echo: 'asked' }, 'plain'],
  [{ error: 'a text', input: 'asked' }, 'a text'],
  [[{ error: { message: 'in a list', status: 'EXHAUSTED' } }], 'in a list\nEXHAUSTED'],
  [{ type: 'error', error: { type: 'kind', message: 'words' } }, 'words\nkind\nerror'],
  [{ error: { metadata: { flagged_input: 'asked' } } }, ''],
])('refusalText reads the error text of %j', (body, words) => {
  expect(refusalText(JSON.stringify(body))).toBe(words);
});

test('refusalText reads all of a body without JSON, and nothing of a long one', () => {
  expect(refusalText('out of credits')).toBe('out of credits');
  expect(refusalText('x'.repeat(30_000))).toBe('');
});

const isSpent = (status: number, message: string, { headers = {}, more = {} } = {}) =>
  isOutOfCredit({ status, headers, body: JSON.stringify({ error: { message, ...more } }) });

test.each([
  [402, 'anything'],
  [403, 'Not enough credits'],
  [429, 'You exceeded your current quota, please check your plan and billing details.'],
  [429, 'Quota exceeded'],
  [429, 'Billing hard limit has been reached'],
  [429, 'Insufficient balance'],
  [400, 'Your credit balance is too low to access the API.'],
])('status %i with "%s" means that the account has no credit', (status, message) => {
  expect(isSpent(status, message)).toBe(true);
});

test.each([
  [429, 'Quota exceeded for requests per minute, limit: 10. Please retry in 1.2s.'],
  [429, 'You exceeded your current quota, please check your billing details. Limit: 5 per day.'],
  [429, 'Quota exceeded. Try again in 20s.'],
  [400, 'content filter: "quota exceeded"'],
  [400, 'content filter: "your credit balance is too low"'],
  [401, 'insufficient_quota'],
  [500, 'insufficient_quota'],
])('status %i with "%s" does not mean that the account has no credit', (status, message) => {
  expect(isSpent(status, message)).toBe(false);
});

test('an insufficient_quota code always means no credit, and Retry-After marks a quota as a rate limit', () => {
  const retry = { 'retry-after': '1' };
  expect(isSpent(429, 'Quota exceeded', { headers: retry })).toBe(false);
  expect(isSpent(429, 'retry in 1s', { headers: retry, more: { code: 'insufficient_quota' } })).toBe(true);
});
