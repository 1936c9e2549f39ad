import { isRetryable } from '@data-designer/core';
import { expect, test } from 'vitest';
import { outcome } from '../../test/canned-gateway.ts';
import { failureOfOutcome } from './failure-of-outcome.ts';

const asked = { model: 'm-1', timeoutMs: 7000 };
const failureOf = (status: number, body: unknown) => failureOfOutcome(outcome(body, { status }), asked);
const error = (message: string) => ({ error: { message, type: 'some_error' } });

/** What may pass when tried again. */
const PASSING = new Set<string>(['model/timed-out', 'model/rate-limited', 'model/server-error']);

test.each([
  [429, error('You exceeded your current quota: insufficient_quota'), 'model/quota-exceeded'],
  [400, error('Your credit balance is too low to access the API'), 'model/quota-exceeded'],
  [402, error('Payment required'), 'model/quota-exceeded'],
  [401, error('Incorrect API key'), 'model/unauthorized'],
  [403, error('No access to this model'), 'model/permission-denied'],
  [404, error('The model does not exist'), 'model/not-found'],
  [408, error('Took too long'), 'model/timed-out'],
  [413, error('Too large'), 'model/context-exceeded'],
  [400, error("This model's maximum context length is 8192 tokens"), 'model/context-exceeded'],
  [422, { detail: [{ msg: 'field required' }] }, 'model/unprocessable'],
  [429, error('Slow down'), 'model/rate-limited'],
  [400, error("Unsupported parameter: 'top_p'"), 'model/unsupported-parameter'],
  [400, error("'seed' and 'x' are mutually exclusive"), 'model/unsupported-parameter'],
  [400, error('Bad role'), 'model/rejected'],
  [409, error('Conflict'), 'model/rejected'],
  [302, '', 'model/rejected'],
  [500, error('Oops'), 'model/server-error'],
  [529, error('Overloaded'), 'model/server-error'],
] as const)('status %i with %j is %s', (status, body, code) => {
  const failure = failureOf(status, body);
  expect(failure.code).toBe(code);
  expect(isRetryable(failure.code)).toBe(PASSING.has(code));
  expect(failure.message).toContain("'m-1'");
});

test('a refusal says what the provider said, the cause and what to do', () => {
  expect(failureOf(401, error('Incorrect API key provided.')).message).toBe(
    "The endpoint of model 'm-1' refuses to serve (status 401): Incorrect API key provided. Check the key and the account; what was answered is kept.",
  );
  expect(failureOf(400, error('m-1 is not a multimodal model')).message).toMatch(/take multi_modal_context out\.$/);
});

test.each([
  [{ message: 'plain' }, 'plain'],
  [{ error: 'a text' }, 'a text'],
  [{ error: { message: 'within' } }, 'within'],
  [{ detail: 'not here' }, 'not here'],
  [{ detail: [{ msg: 'one' }, { msg: 'two' }] }, 'one; two'],
  [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'Overloaded'],
  ['<html>\n  <h1>Bad gateway</h1>\n</html>', '<html> <h1>Bad gateway</h1> </html>'],
  ['', 'it gave no reason'],
])('of the body %j the reason is read', (body, reason) => {
  expect(failureOf(503, body).data).toMatchObject({ status: 503, reason });
});

test('a body of megabytes is not said in full', () => {
  expect(failureOf(500, 'x'.repeat(3_000_000)).message.length).toBeLessThan(700);
});
