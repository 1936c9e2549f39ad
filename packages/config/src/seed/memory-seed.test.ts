import { expect, test } from 'vitest';
import { areRows, isArrowTable, memorySeed } from './memory-seed.ts';

async function* later() {
  yield await Promise.resolve({ a: 1 });
}

/** As much of an Arrow table as it is told by. */
const table = { schema: { fields: [{ name: 'a' }, { name: 'b' }] }, numRows: 1, batches: [{}] };

test.each([
  ['an array of mappings', [{ a: 1 }, Object.create(null) as object], true],
  ['no rows', [], true],
  ['a set', new Set([{ a: 1 }]), true],
  ['rows that come later', later(), true],
  ['an Arrow table', table, true],
  ['an array with something else', [{ a: 1 }, 2], false],
  ['a text', 'abc', false],
  ['a mapping', { a: [1] }, false],
  ['what makes rows when called', later, false],
  ['nothing', null, false],
])('%s: rows or not', (_, value, expected) => {
  expect(areRows(value)).toBe(expected);
});

test('columns are known of what can be looked at twice', () => {
  expect(memorySeed.columns?.({ seedType: 'df', rows: [{ a: 1 }, { b: 2, a: 3 }] })).toEqual(['a', 'b']);
  expect(memorySeed.columns?.({ seedType: 'df', rows: table })).toEqual(['a', 'b']);
  expect(memorySeed.columns?.({ seedType: 'df', rows: later() })).toBeUndefined();
  expect([isArrowTable(table), isArrowTable([])]).toEqual([true, false]);
});
