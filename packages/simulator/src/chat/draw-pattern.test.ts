import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { drawPattern } from './draw-pattern.ts';

const anything = () => true;

test.each([
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^[A-Z]{2,3}-[0-9a-f]+$',
  '^(?:red|green|(?<dark>black))( or blue)?$',
  '^[^a-z\\s]{3,}$',
  '^\\+?\\d+(\\.\\d{1,2})?$',
  'SKU',
  '^[\\w.-]+@[a-z]+\\.com$',
  '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$',
])('a text drawn for %s matches it', (pattern) => {
  for (let row = 0; row < 100; row++) {
    const drawn = drawPattern(pattern, Random.of(1, pattern).at(row), anything);
    expect(drawn).toMatch(new RegExp(pattern, 'u'));
  }
});

test('a drawn text also passes the check, and an invalid expression draws nothing', () => {
  const random = Random.of(1, 'test');
  expect(drawPattern('^a{1,9}$', random, (text) => text.length === 4)).toBe('aaaa');
  expect(drawPattern('^a$', random, (text) => text.length === 4)).toBeUndefined();
  expect(drawPattern('^(a$', random, anything)).toBeUndefined();
  expect(drawPattern('^(a)\\1$', random, anything)).toBeUndefined();
});
