import { expect, test } from 'vitest';
import { parseWithEveryDigit } from './exact-numbers.ts';

test('parsed numbers are written back with all their digits', () => {
  for (const text of [
    '{"n":12345678901234567890}',
    '[-9223372036854775808,0.5]',
    '{"a":"1234567890123456789","b":1}',
  ]) {
    expect(JSON.stringify(parseWithEveryDigit(text))).toBe(text);
  }
});

test('numbers that fit are parsed as plain numbers', () => {
  const text = '{"id":7,"result":{"at":1234567890123,"share":0.12345678901234567,"one":1.0}}';
  expect(parseWithEveryDigit(text)).toEqual(JSON.parse(text));
  expect(() => parseWithEveryDigit('1234567890123456789 no')).toThrow(SyntaxError);
});

test('deeply nested text is parsed', () => {
  const text = `[12345678901234567890,${'['.repeat(20_000)}${']'.repeat(20_000)}]`;
  expect(parseWithEveryDigit(text)).toHaveLength(2);
});
