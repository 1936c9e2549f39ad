import { expect, test } from 'vitest';
import { fitText, textWidth } from './fit-text.ts';

test.each([
  ['plain', 5],
  ['漢字', 4],
  ['e\u0301', 1],
  ['🐙', 2],
])('%j takes %d columns', (text, width) => {
  expect(textWidth(text)).toBe(width);
});

test('a text that fits is unchanged', () => {
  expect(fitText('as it is', 8)).toBe('as it is');
});

test.each([
  ['a long text', 6, 'a lon…'],
  ['漢字漢字', 6, '漢字…'],
  ['漢字漢字', 5, '漢字…'],
  ['anything', 1, '…'],
])('%j is cut to %d columns', (text, columns, cut) => {
  expect(fitText(text, columns)).toBe(cut);
});

test('control characters and direction overrides become spaces', () => {
  expect(fitText('a\u001b[2Jb\r\nc\u202Ed', 40)).toBe('a [2Jb c d');
});
