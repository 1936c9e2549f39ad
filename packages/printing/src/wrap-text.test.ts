import { expect, test } from 'vitest';
import { replaceControls, wrapPieces, wrapText } from './wrap-text.ts';

test.each([
  ['between words', { text: 'one two three', columns: 7 }, ['one two', 'three']],
  ['in a word that is too long', { text: 'abcdefgh ij', columns: 3 }, ['abc', 'def', 'gh', 'ij']],
  ['by the display width of wide characters', { text: '日本語テキスト', columns: 6 }, ['日本語', 'テキス', 'ト']],
  ['where its lines end', { text: 'a\n\n  b', columns: 10 }, ['a', '', '  b']],
  ['nowhere if it is empty', { text: '', columns: 10 }, ['']],
])('text is broken %s', (_, { text, columns }, lines) => {
  expect(wrapText(text, columns)).toEqual(lines);
});

test('characters that move the cursor are replaced', () => {
  expect(replaceControls('a\u001b[2Jb\rc\u202ed\te\r\nf')).toBe('a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}d    e\nf');
});

test('pieces keep their kind across lines', () => {
  const lines = wrapPieces(
    [
      { text: 'ab', kind: 1 },
      { text: 'cd\ne', kind: 2 },
    ],
    3,
  );
  expect(lines).toEqual([
    [
      { text: 'ab', kind: 1 },
      { text: 'c', kind: 2 },
    ],
    [{ text: 'd', kind: 2 }],
    [{ text: 'e', kind: 2 }],
  ]);
});
