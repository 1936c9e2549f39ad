import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { placeholderDraw } from './placeholder-draw.ts';

const random = Random.of(1, 'form');

function drawn(form: string, options?: { leadingZeros: boolean }): string[] {
  const draw = placeholderDraw(form, options);
  return Array.from({ length: 3000 }, (_, row) => draw(random.at(row)));
}

test.each([
  ['#####', /^\d{5}$/],
  ['AZ####', /^AZ\d{4}$/],
  ['1### ??', /^1\d{3} [A-Z]{2}$/],
  ['A## ****', /^A\d\d [A-Z0-9]{4}$/],
  ['!##-!######', /^[2-9]\d\d-[2-9]\d{6}$/],
  ['Bloc ##', /^Bloc \d\d$/],
  ['##########', /^\d{10}$/],
  ['s/n.', /^s\/n\.$/],
])('draws text of the form %s', (form, expected) => {
  expect(drawn(form).filter((text) => !expected.test(text))).toEqual([]);
});

test('digits can start with 0, unless leading zeros are disabled', () => {
  expect(drawn('##').some((text) => text.startsWith('0'))).toBe(true);
  const numbers = drawn('##/#', { leadingZeros: false });
  expect(numbers.filter((text) => !/^[1-9]\d\/[1-9]$/.test(text))).toEqual([]);
  expect(new Set(numbers.map((text) => text.slice(0, 2))).size).toBe(90);
});

test('draws every letter and digit', () => {
  expect(new Set(drawn('?')).size).toBe(26);
  expect(new Set(drawn('*')).size).toBe(36);
  expect(new Set(drawn('!')).size).toBe(8);
});
