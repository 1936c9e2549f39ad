import { expect, test } from 'vitest';
import { type ArrowType, field } from '@data-designer/core';
import { storedColumns } from './stored-columns.ts';

const stored = (type: ArrowType, value: unknown, json = false): unknown =>
  storedColumns([field('a', type, { json })])[0]?.convert(value);

test('stores dates and large integers as text', () => {
  expect(stored('utf8', new Date(0))).toBe('1970-01-01T00:00:00.000Z');
  expect(stored('utf8', 2n ** 70n)).toBe('1180591620717411303424');
  expect(stored({ list: 'utf8' }, [new Date(0), null, 'x'])).toEqual(['1970-01-01T00:00:00.000Z', null, 'x']);
  expect([stored('int64', 2n), stored('float64', 1), stored('utf8', null)]).toEqual([2n, 1, null]);
});

test('stores members under their stored names, missing ones as null, and no inherited ones', () => {
  const type = { struct: [field('A', 'int64'), field('a', 'utf8'), field('constructor', 'utf8')] };
  expect(stored(type, { A: 1 })).toEqual({ A: 1, a_1: null, _constructor: null });
  expect(stored({ list: type }, [{ a: 'x' }, null])).toEqual([{ A: null, a_1: 'x', _constructor: null }, null]);
});

test('leaves values that are stored as JSON to the writer', () => {
  const value = { a: [1, 'x'] };
  expect(stored('utf8', value, true)).toBe(value);
});
