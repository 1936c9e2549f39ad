import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { textWidth } from './fit-text.ts';
import { fittedTable } from './fitted-table.ts';

const ROWS = [
  { column: 'town', nulls: '0 (0.0%)', 'unique values': '320 (100.0%)', values: 'north 50.0%, south 30.0%, 18 more' },
  { column: 'a_long_name_without_any_spaces', nulls: '1', values: '漢字 '.repeat(40) },
];
const wrapped = ['column', 'values'];
const linesOf = (width: number, dispensable?: readonly string[]) =>
  fittedTable(ROWS, { width, wrapped, ...(dispensable ? { dispensable } : {}) }).map(stripVTControlCharacters);

test('a wide table has a line per row', () => {
  expect(linesOf(300)).toHaveLength(3);
});

test.each([120, 80, 66])('at %d characters, text wraps, figures stay whole, and no column is squeezed', (width) => {
  const lines = linesOf(width);
  expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(width);
  const starts = ['nulls', 'unique', 'values'].map((heading) => lines[0]?.indexOf(heading) ?? -1);
  expect(starts[0]).toBeGreaterThanOrEqual(20);
  expect(lines.join('\n')).toContain('320 (100.0%)');
  expect(lines.join('\n')).toMatch(/漢[字 ]*…$/m);
});

test('a table too wide even with wrapped text says which columns it leaves out', () => {
  const lines = linesOf(54, ['unique values']);
  const note = 'Left out, as 54 characters are too narrow: unique values (1 of 4 columns)';
  expect(lines.join(' ')).toContain(note);
  expect(lines[0]).toMatch(/^column +nulls +values$/);
  expect(linesOf(30).join(' ')).toContain('unique values, values (2 of 4 columns)');
});

test('text cannot move the cursor', () => {
  expect(fittedTable([{ a: '\u001b[2Jx\ny' }], { width: 40, wrapped: [] })[1]).toBe(' [2Jx y');
});
