import { Float } from '@data-designer/core';
import { expect, test } from 'vitest';
import { compileValue } from './compile-value.ts';

const row = { list: [{ a: 1, b: 'x' }], n: 3, big: 2n ** 60n, half: 0.5, whole: new Float(2), text: 'one', none: null };

test.each([
  ['{{ list }}', [{ a: 1, b: 'x' }]],
  [' {{ list[0].b }}\n', 'x'],
  ['{{ n + 1 }}', 4],
  ['{{ big }}', 2n ** 60n],
  ['{{ half }}', 0.5],
  ['{{ none }}', null],
  ['{{ text }}', 'one'],
  ['{{ text }} {{ n }}', 'one 3'],
  ['plain', 'plain'],
  ['{{ n > 2 }}', true],
])('the value of %s has its value', (source, value) => {
  expect(compileValue(source, { decode: false })(row)).toEqual(value);
});

test('a column that does not exist is an error', () => {
  expect(() => compileValue('{{ other }}')(row)).toThrow('other');
});
