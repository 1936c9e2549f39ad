import { expect, test } from 'vitest';
import { KeyTable, MOST_ROWS } from './key-table.ts';

const found = (table: KeyTable, key: number): number[] => {
  const rows = new Uint32Array(2 * MOST_ROWS);
  return [...rows.subarray(0, table.collect(key, rows, 0))];
};

test('the rows of a key are found in their order, also once the table has grown', () => {
  const table = new KeyTable();
  for (let row = 0; row < 5000; row++) table.add(row % 700);
  for (const key of [0, 1, 699])
    expect(found(table, key)).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7].map((time) => time * 700 + key).filter((row) => row < 5000),
    );
  expect(found(table, 700)).toEqual([]);
});

test('keys that share a slot or its tag are told apart', () => {
  const table = new KeyTable();
  // The first slot of all is the last one, the search goes on at the first.
  const keys = [1023, 2047, 1023, 0xffff_ffff, 3071];
  for (const key of keys) table.add(key);
  expect([...new Set(keys)].map((key) => found(table, key))).toEqual([[0, 2], [1], [3], [4]]);
});

test('a key of many rows gives its first 256, in the table as it grows and after', () => {
  for (const others of [0, 2000]) {
    const table = new KeyTable();
    for (let row = 0; row < MOST_ROWS + 50; row++) table.add(7);
    for (let row = 0; row < others; row++) table.add(row + 5000);
    expect(found(table, 7)).toEqual(Array.from({ length: MOST_ROWS }, (_, row) => row));
    expect(found(table, 5000)).toEqual(others > 0 ? [MOST_ROWS + 50] : []);
  }
});

test('a list of rows is continued, and the slot of a key that is not there is free', () => {
  const table = new KeyTable();
  table.add(5);
  table.add(6);
  const rows = new Uint32Array(8);
  expect(table.collect(6, rows, table.collect(5, rows, 0))).toBe(2);
  expect([...rows.subarray(0, 2)]).toEqual([0, 1]);
  expect([table.touch(5) > 0, table.touch(9)]).toEqual([true, 0]);
});
