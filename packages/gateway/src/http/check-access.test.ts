import { expect, test } from 'vitest';
import { isFailure } from '@data-designer/core';
import { protocolOf } from '@data-designer/models/protocols';
import { checkAccess } from './check-access.ts';

const ACCESS = { endpoint: 'https://host/v1', protocol: protocolOf('openai'), apiKey: 'sk-abc', extraHeaders: {} };

/** The error for an access, or an empty text if it is valid. */
function failureOf(more: Partial<typeof ACCESS>): string {
  try {
    checkAccess('mine', { ...ACCESS, ...more });
    return '';
  } catch (thrown) {
    if (isFailure(thrown, 'model/unusable-provider')) return thrown.message;
    throw thrown;
  }
}

test('a valid key, header and endpoint are accepted', () => {
  expect(failureOf({})).toBe('');
  expect(failureOf({ extraHeaders: { 'X-Title': 'a title', Authorization: 'Basic abcd' } })).toBe('');
});

test.each([
  ['sk-ab\nc', /its api_key contains a line break/],
  ['sk-äöü–', /its api_key contains characters that HTTP headers do not allow/],
])('a key that no header can hold is rejected without quoting it: %j', (apiKey, said) => {
  expect(failureOf({ apiKey })).toMatch(said);
  expect(failureOf({ apiKey })).not.toContain(apiKey);
});

test.each([
  [{ 'x bad': 'secret-value' }, '"x bad" in its extra_headers is not a valid HTTP header name'],
  [{ '': 'secret-value' }, '"" in its extra_headers is not a valid HTTP header name'],
  [{ 'x-bad': 'secret-value\nmore' }, 'the header "x-bad" in its extra_headers contains a line break'],
  [{ 'x-bad': 'secret-value–' }, 'the header "x-bad" in its extra_headers contains characters'],
  [
    { 'Content-Length': 'secret-value' },
    'the header "Content-Length" in its extra_headers is set by the connection itself',
  ],
  [{ 'transfer-encoding': 'secret-value' }, 'is set by the connection itself'],
  [{ Host: 'secret-value' }, 'is set by the connection itself'],
  [{ connection: 'secret-value' }, 'is set by the connection itself'],
])('an error for an invalid header names the header, not its value: %j', (extraHeaders, said) => {
  const message = failureOf({ extraHeaders });
  expect(message).toContain("Model provider 'mine' cannot be used");
  expect(message).toContain(said);
  expect(message).not.toContain('secret-value');
});

test.each(['', 'host:80/v1', 'ftp://host/v1', '/v1'])('the endpoint %j is rejected', (endpoint) => {
  expect(failureOf({ endpoint })).toMatch(/its endpoint is not an http\(s\) address/);
});

test('a user name and password in an address are rejected, not dropped', () => {
  const message = failureOf({ endpoint: 'https://user:pass-word@host/v1' });
  expect(message).toMatch(/its endpoint contains a user name or a password/);
  expect(message).not.toContain('pass-word');
});
