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
  ['sk-ab\nc', /its api_key has a line break in it/],
  ['sk-äöü–', /its api_key has characters in it that headers cannot carry/],
])('a key that no header can hold is rejected without quoting it: %j', (apiKey, said) => {
  expect(failureOf({ apiKey })).toMatch(said);
  expect(failureOf({ apiKey })).not.toContain(apiKey);
});

test.each([
  [{ 'x bad': 'secret-value' }, '"x bad" in its extra_headers is not a name'],
  [{ '': 'secret-value' }, '"" in its extra_headers is not a name'],
  [{ 'x-bad': 'secret-value\nmore' }, 'the header "x-bad" in its extra_headers has a line break'],
  [{ 'x-bad': 'secret-value–' }, 'the header "x-bad" in its extra_headers has characters'],
  [{ 'Content-Length': 'secret-value' }, 'the header "Content-Length" in its extra_headers belongs to the connection'],
  [{ 'transfer-encoding': 'secret-value' }, 'belongs to the connection'],
  [{ Host: 'secret-value' }, 'belongs to the connection'],
  [{ connection: 'secret-value' }, 'belongs to the connection'],
])('an error for an invalid header names the header, not its value: %j', (extraHeaders, said) => {
  const message = failureOf({ extraHeaders });
  expect(message).toContain("Model provider 'mine' cannot be used");
  expect(message).toContain(said);
  expect(message).not.toContain('secret-value');
});

test.each(['', 'host:80/v1', 'ftp://host/v1', '/v1'])('the endpoint %j is rejected', (endpoint) => {
  expect(failureOf({ endpoint })).toMatch(/not an address that begins with/);
});

test('a user name and password in an address are rejected, not dropped', () => {
  const message = failureOf({ endpoint: 'https://user:pass-word@host/v1' });
  expect(message).toMatch(/its endpoint holds a user name or a password/);
  expect(message).not.toContain('pass-word');
});
