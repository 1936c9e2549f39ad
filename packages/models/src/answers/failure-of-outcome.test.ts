import { expect, test } from 'vitest';
import { isForAll, isRetryable } from '@data-designer/core';
import { outcome } from '../../test/canned-gateway.ts';
import { openai } from '../protocols/openai/openai.ts';
import { failureOfOutcome } from './failure-of-outcome.ts';

const asked = { model: 'm-1', timeoutMs: 7000, form: openai.paths['chat/completions'] };
const failureOf = (status: number, body: unknown) => failureOfOutcome(outcome(body, { status }), asked);
const noChoiceOf = (body: string) => failureOfOutcome({ ...outcome(''), body, verdict: 'no-choice' }, asked).data;
const error = (message: string) => ({ error: { message, type: 'some_error' } });

/** Codes that are worth a retry. */
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
  [400, error('prompt is too long: 210000 tokens > 200000 maximum'), 'model/context-exceeded'],
  [400, error("This model's maximum context length is 8192 tokens"), 'model/context-exceeded'],
  [422, { detail: [{ msg: 'field required' }] }, 'model/unprocessable'],
  [429, error('Slow down'), 'model/rate-limited'],
  [400, error("Unsupported parameter: 'top_p'"), 'model/unsupported-parameter'],
  [400, error("'seed' and 'x' are mutually exclusive"), 'model/unsupported-parameter'],
  [400, error('Bad role'), 'model/rejected'],
  [409, error('Conflict'), 'model/server-error'],
  [302, '', 'model/not-found'],
  [500, error('Oops'), 'model/server-error'],
  [529, error('Overloaded'), 'model/server-error'],
] as const)('status %i with %j is %s', (status, body, code) => {
  const failure = failureOf(status, body);
  expect(failure.code).toBe(code);
  expect(isRetryable(failure.code)).toBe(PASSING.has(code));
  expect(failure.message).toContain("'m-1'");
});

test.each([
  [400, error('blocked: "my quota exceeded, insufficient_quota"'), 'model/rejected'],
  [422, error('insufficient_quota'), 'model/unprocessable'],
  [500, error('billing hard limit'), 'model/server-error'],
  [403, { error: { message: 'flagged', metadata: { input: 'out of credits' } } }, 'model/permission-denied'],
  [429, error('Quota exceeded for requests per minute, limit: 10. Please retry in 1.2s.'), 'model/rate-limited'],
  [429, error('You exceeded your current quota, check your plan and billing details.'), 'model/quota-exceeded'],
  [403, error('Not enough credits'), 'model/quota-exceeded'],
  [400, error('Words: your credit balance is too low'), 'model/rejected'],
] as const)('only billing errors count as quota errors: status %i with %j is %s', (status, body, code) => {
  expect(failureOf(status, body).code).toBe(code);
});

test.each([
  ['System role not supported'],
  ['Developer instruction is not enabled for models/gemma-3-27b-it'],
  ["Unsupported value: 'messages[0].role' does not support 'system' with this model."],
  ['System messages are not supported by this model'],
  ['Prompt: this model does not support system prompts'],
])('a model without a system role gets the advice to remove system_prompt: %s', (message) => {
  const { code, message: text } = failureOf(400, { error: { message } });
  expect(code).toBe('model/rejected');
  expect(text).toContain("remove 'system_prompt'");
});

test.each([
  ['Requests which include `tool_use` or `tool_result` blocks must define tools.'],
  ['The toolConfig field must be defined when using toolUse and toolResult content blocks.'],
  ["litellm.UnsupportedParamsError: Bedrock doesn't support tool calling without `tools=` param specified."],
  ['Anthropic expects the `tools=` param to be passed in.'],
])('an endpoint that wants the tools of the calls in a history gets them advised: %s', (message) => {
  const { code, message: text } = failureOf(400, { error: { message } });
  expect(code).toBe('model/rejected');
  expect(text).toContain("'tool_alias' of its history");
});

test('"quota exceeded" with a Retry-After is a rate limit', () => {
  const headers = { 'retry-after': '1' };
  const refusal = outcome(error('Quota exceeded'), { status: 429, headers });
  expect(failureOfOutcome(refusal, asked).code).toBe('model/rate-limited');
});

test.each([302, 401, 403, 404])('status %i of a model that answers others concerns the request', (status) => {
  const refusal = outcome(error('Flagged by moderation'), { status, verdict: 'about-this' });
  expect(failureOfOutcome(refusal, asked)).toMatchObject({ code: 'model/rejected', data: { status } });
});

test.each([409, 425, 500, 529])(
  'status %i after the last attempt is a failure of the endpoint, not of the request',
  (status) => {
    expect(failureOf(status, error('Busy'))).toMatchObject({ code: 'model/server-error', data: { status } });
  },
);

test('a lasting 429 to every request is a failure of all cells', () => {
  const failure = failureOfOutcome(outcome(error('Slow down'), { status: 429, verdict: 'about-all' }), asked);
  expect(isForAll(failure)).toBe(true);
  expect(failure.message).toMatch(/Slow down.+No request has succeeded.+Resume later/);
  expect(isForAll(failureOf(429, error('Slow down')))).toBe(false);
});

test('a redirect error names the target without its secrets', () => {
  const location = 'https://user:secret@elsewhere.example/v1/chat?key=secret';
  const failure = failureOfOutcome(outcome('', { status: 308, headers: { location } }), asked);
  expect(failure.message).toContain('it redirects to https://elsewhere.example/v1/chat. Set');
  expect(failure.message).not.toContain('secret');
});

test('a refusal error names the cause, the message of the provider and the remedy', () => {
  expect(failureOf(401, error('Incorrect API key provided.')).message).toBe(
    "The endpoint of model 'm-1' denied access (status 401): Incorrect API key provided. Check the key and the account.",
  );
  expect(failureOf(400, error('m-1 is not a multimodal model')).message).toMatch(/or remove multi_modal_context\.$/);
});

test.each([
  [{ message: 'plain' }, 'plain'],
  [{ error: 'a text' }, 'a text'],
  [{ error: { message: 'within' } }, 'within'],
  [{ detail: 'not here' }, 'not here'],
  [{ detail: [{ msg: 'one' }, { msg: 'two' }] }, 'one; two'],
  [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'Overloaded'],
  ['<html>\n  <h1>Bad gateway</h1>\n</html>', '<html> <h1>Bad gateway</h1> </html>'],
  ['', 'no reason given'],
])('the error for the body %j gives its reason', (body, reason) => {
  expect(failureOf(503, body).data).toMatchObject({ status: 503, reason });
});

test('an error does not quote a body of megabytes in full', () => {
  expect(failureOf(500, 'x'.repeat(3_000_000)).message.length).toBeLessThan(700);
});

test('an answer without a usable choice is reported, even if the gateway has cut its body', () => {
  expect(noChoiceOf('{"choices":[],"error":{"message":"busy"}}')).toMatchObject({
    reason: 'it reports an error: busy',
    attempts: 1,
  });
  expect(noChoiceOf('{"choices":[],"error":{"message":"busy bu')).toMatchObject({ reason: 'it contains no choices' });
});

test.each([
  [
    'https://elsewhere.example/v2/chat/completions',
    "Set the 'endpoint' of the provider to https://elsewhere.example/v2.",
  ],
  ['/v2/chat/completions?a=b', "Set the 'endpoint' of the provider to /v2."],
  ['', 'Check the model name and the endpoint address.'],
])('a redirect to %j says to what the endpoint is to be set', (location, remedy) => {
  const failure = failureOfOutcome({ ...outcome('', { status: 307 }), headers: { location } }, asked);
  expect(failure).toMatchObject({ code: 'model/not-found' });
  expect(failure.message.endsWith(remedy)).toBe(true);
});

test.each([
  [
    '',
    'cannot be read: it is empty. The request carried a key to an address. Look at the log of the server, and for a',
  ],
  ['{"a":  [\n1', 'its body is not valid JSON: {"a": [ 1. The request carried a key to an address. Look at the log'],
  ['data: {}', 'ends before the answer does: data: {}. The request carried a key to an address. Turn streaming off at'],
  ['<html>', 'it is not a JSON object: <html>. The request carried a key to an address. Check that the endpoint is'],
  ['[' + '1,'.repeat(200), `not valid JSON: [${'1,'.repeat(39)}1…. The request`],
])('the unusable answer %j is shown with its address and what to do', (body, said) => {
  const unusable = { ...outcome(''), body, verdict: 'unusable', sent: 'a key to an address' } as const;
  expect(failureOfOutcome(unusable, asked).message).toContain(said);
});
