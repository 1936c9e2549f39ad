import { expect, test } from 'vitest';
import { textTable } from './text-table.ts';

const ROWS = [
  ['model', 'cost'],
  ['漢字', '1.00'],
  ['a', '12.00'],
];

test('columns are aligned by the display width of their characters', () => {
  expect(textTable(ROWS)).toEqual(['model  cost', '漢字   1.00', 'a      12.00']);
});

test('columns from rightFrom on are right-aligned', () => {
  expect(textTable(ROWS, { rightFrom: 1 })).toEqual(['model   cost', '漢字    1.00', 'a      12.00']);
});

test('a rule below the header is as wide as the cells', () => {
  expect(textTable(ROWS, { isRuled: true }).slice(0, 2)).toEqual(['model  cost', '-----  -----']);
});

test('a row may have fewer cells, and its text cannot move the cursor', () => {
  expect(textTable([['a\u001b[2J', 'b'], ['c\nd']])).toEqual(['a [2J  b', 'c d']);
  expect(textTable([])).toEqual([]);
});
