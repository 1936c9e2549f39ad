import { expect, test } from 'vitest';
import { visibleText } from './visible-text.ts';

test('control characters become pictures; line breaks and tabs stay', () => {
  expect(visibleText('a\u0000b\u001B[31mc\r\nd\te\u007F')).toBe('a␀b␛[31mc\nd\te␡');
});

test('marks that change the direction of text become code points', () => {
  expect(visibleText('user\u202Enimda\u2066x\u2069')).toBe('user[U+202E]nimda[U+2066]x[U+2069]');
});

test('other text stays as it is', () => {
  const text = '<b>ünï</b> مرحبا 👩‍🚀 &amp;';
  expect(visibleText(text)).toBe(text);
});
