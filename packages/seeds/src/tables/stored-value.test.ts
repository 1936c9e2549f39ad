import { expect, test } from 'vitest';
import { type ArrowField, type ArrowType, field } from '@data-designer/core';
import { storedFields } from './stored-fields.ts';
import { storedValue } from './stored-value.ts';

const stored = (type: ArrowType, value: unknown, json = false): unknown => {
  const wanted = field('a', type, { json });
  return storedValue(wanted, storedFields([wanted])[0] as ArrowField)(value);
};

test('dates and large integers are text where text is stored', () => {
  expect(stored('utf8', new Date(0))).toBe('1970-01-01T00:00:00.000Z');
  expect(stored('utf8', 2n ** 70n)).toBe('1180591620717411303424');
  expect(stored({ list: 'utf8' }, [new Date(0), null, 'x'])).toEqual(['1970-01-01T00:00:00.000Z', null, 'x']);
  expect([stored('int64', 2n), stored('float64', 1), stored('utf8', null)]).toEqual([2n, 1, null]);
});

test('members go under their stored names, absent ones as null, inherited ones not at all', () => {
  const type = { struct: [field('A', 'int64'), field('a', 'utf8'), field('constructor', 'utf8')] };
  expect(stored(type, { A: 1 })).toEqual({ A: 1, a_1: null, _constructor: null });
  expect(stored({ list: type }, [{ a: 'x' }, null])).toEqual([{ A: null, a_1: 'x', _constructor: null }, null]);
});

test('what becomes JSON is left to the writer of JSON', () => {
  const value = { a: [1, 'x'] };
  expect(stored('utf8', value, true)).toBe(value);
});
