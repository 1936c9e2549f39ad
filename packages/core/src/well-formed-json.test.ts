import { expect, test } from 'vitest';
import { readableJson, wellFormedJson } from './well-formed-json.ts';

test.each([
  ['a high half', JSON.stringify('a\uD83D b'), 'a\uFFFD b'],
  ['a low half', JSON.stringify('a\uDE00'), 'a\uFFFD'],
  ['two high halves', JSON.stringify('\uD83D\uD83D'), '\uFFFD\uFFFD'],
  ['a half before a whole character', '"\\ud83d\\ud83d\\ude00"', '\uFFFD😀'],
  ['capital digits', '"\\uDE00 \\uD83D"', '\uFFFD \uFFFD'],
  ['a half behind a backslash', JSON.stringify('\\\uD83D'), '\\\uFFFD'],
  ['a raw half', '"a\uD83D"', 'a\uFFFD'],
])('%s becomes U+FFFD', (_claim, json, text) => {
  expect(JSON.parse(wellFormedJson(json))).toBe(text);
});

test.each([
  ['a whole character', '😀'],
  ['the text of an escape', String.raw`\ud83d`],
  ['a path', String.raw`C:\\udata\ud`],
  ['other escapes', '\u0000\n"\\'],
])('%s stays', (_claim, text) => {
  const json = JSON.stringify(text);
  expect(wellFormedJson(json)).toBe(json);
});

test('a whole character in escapes stays', () => {
  expect(wellFormedJson('"\\ud83d\\ude00"')).toBe('"\\ud83d\\ude00"');
});

test('models get U+FFFD for NUL, and every other control character', () => {
  const text = 'a\u0000b\u0001\u001F\u007F \\u0000 C:\\\u0000';
  expect(JSON.parse(readableJson(JSON.stringify(text)))).toBe('a\uFFFDb\u0001\u001F\u007F \\u0000 C:\\\uFFFD');
});

test('keys are mended, too', () => {
  expect(JSON.parse(wellFormedJson(JSON.stringify({ '\uD800': 1 })))).toEqual({ '\uFFFD': 1 });
});
