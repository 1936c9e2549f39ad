import { expect, test } from 'vitest';
import { areRows, isArrowTable, memorySeed } from './memory-seed.ts';

async function* later() {
  yield await Promise.resolve({ a: 1 });
}

/** The members that identify an Arrow table. */
const table = { schema: { fields: [{ name: 'a' }, { name: 'b' }] }, numRows: 1, batches: [{}] };

test.each([
  ['an array of mappings', [{ a: 1 }, Object.create(null) as object], true],
  ['no rows', [], true],
  ['a set', new Set([{ a: 1 }]), true],
  ['an async generator', later(), true],
  ['an Arrow table', table, true],
  ['an array with a number', [{ a: 1 }, 2], false],
  ['a text', 'abc', false],
  ['a mapping', { a: [1] }, false],
  ['a generator function', later, false],
  ['null', null, false],
])('areRows classifies %s', (_, value, expected) => {
  expect(areRows(value)).toBe(expected);
});

test('memorySeed knows the columns of arrays and Arrow tables, not of async generators', () => {
  expect(memorySeed.columns?.({ seedType: 'df', rows: [{ a: 1 }, { b: 2, a: 3 }] })).toEqual(['a', 'b']);
  expect(memorySeed.columns?.({ seedType: 'df', rows: table })).toEqual(['a', 'b']);
  expect(memorySeed.columns?.({ seedType: 'df', rows: later() })).toBeUndefined();
  expect([isArrowTable(table), isArrowTable([])]).toEqual([true, false]);
});
