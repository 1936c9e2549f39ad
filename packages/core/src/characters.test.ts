import { expect, test } from 'vitest';
import { compareText, countCharacters } from './characters.ts';

test.each([
  ['', 0],
  ['a\u00e9\uffff', 3],
  ['\u{1f600}x\u{1f600}', 3],
  ['\ud83d', 1],
  ['\ude00\ud83d', 2],
])('%j has %i characters', (text, count) => {
  expect(countCharacters(text)).toBe(count);
});

test('texts are ordered by code points', () => {
  const ordered = ['', 'A', 'a', 'a\u0000', 'ab', '\ud7ff', '\uffff', '\u{1f600}', '\u{1f600}a'];
  expect(ordered.toReversed().toSorted(compareText)).toEqual(ordered);
  expect(compareText('a', 'a')).toBe(0);
});
