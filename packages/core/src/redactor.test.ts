import { describe, expect, test } from 'vitest';
import { secretForms } from '../test/secret-forms.ts';
import { redactor } from './index.ts';

const KEYS = [
  'sk-proj-abc123XYZ789',
  'a+b/c=d==',
  'quo"te\\back\\\\slash',
  "with space & <tag> 's",
  'Ünïcode-ключ-🔑',
  '/starts/with+slash',
  'line\nbreak\ttab',
  'k-1:',
];

describe.each(Object.entries(secretForms))('a secret that a server echoes (%s)', (_form, encode) => {
  test.each(KEYS)('is redacted whole: %j', (key) => {
    const redact = redactor([key]);
    expect(redact(encode(key))).toMatch(/^[\w+/-]*\[secret\][\w+/=%-]*$/);
    expect(redact(`key <${encode(key)}> is wrong`)).toMatch(/^key <.*\[secret\].*> is wrong$/);
  });
});

test('text without a secret stays unchanged', () => {
  const redact = redactor(['sk-abc+/=', 'pässwörd "1"']);
  const text = 'C:\\\\temp\\u002B %2B sk-abc &amp; c2stYWJj \\"quoted\\" 100%';
  expect(redact(text)).toBe(text);
});

test('the longest of several secrets is redacted, and texts of fewer than 4 characters are not', () => {
  expect(redactor(['key-1', 'key-12345', 'the', ''])('the key-12345 and key-1')).toBe('the [secret] and [secret]');
});

test('all text in plain data is redacted, and other values stay unchanged', () => {
  const bytes = new Uint8Array([1]);
  const redact = redactor(['k"e"y']);
  const given = { reason: 'no k"e"y', 'k"e"y': [{ text: 'k\\"e\\"y' }, 1n, null, undefined], bytes };
  const clean = redact(given);
  expect(clean).toEqual({ reason: 'no [secret]', '[secret]': [{ text: '[secret]' }, 1n, null, undefined], bytes });
  expect(clean.bytes).toBe(bytes);
});

test('redacted JSON is still valid JSON', () => {
  const key = '/a"b\\c';
  const text = JSON.stringify({ error: `wrong key ${key}` }).replaceAll('/', '\\/');
  expect(JSON.parse(redactor([key])(text))).toEqual({ error: 'wrong key [secret]' });
});

test('a secret behind any number of backslashes is redacted, in linear time', () => {
  const redact = redactor(KEYS);
  const slashes = '\\'.repeat(4_000_000);
  expect(redact(slashes)).toBe(slashes);
  for (const count of [1, 2, 63, 64, 1000]) {
    const before = '\\'.repeat(count);
    expect(redact(`${before}sk-proj-abc123XYZ789`)).toBe(`${before}[secret]`);
  }
  expect(redact('\\'.repeat(3) + '\\u0073k-proj-abc123XYZ789')).toBe('[secret]');
});
