import { expect, test } from 'vitest';
import { cutCell, cutText, memberOf } from './cut-cell.ts';

const LIMITS = { characters: 5, items: 3, values: 6 };
const cut = (value: unknown) => cutCell(value, LIMITS);

test('a text is cut at whole characters, with its length', () => {
  expect(cut('abcde')).toBe('abcde');
  expect(cut('abcdef')).toEqual({ as: 'text', text: 'abcde', length: 6 });
  expect(cutText('abcd😀', 5)).toBe('abcd');
  expect(cutText('abc😀e', 5)).toBe('abc😀');
  expect(cutText('abcde', 5)).toBe('abcde');
});

test('values that JSON cannot hold are marked', () => {
  expect([cut(null), cut(undefined), cut(false), cut(0), cut(1.5)]).toEqual([null, null, false, 0, 1.5]);
  expect([cut(-0), cut(NaN), cut(-Infinity), cut(2n ** 60n)]).toEqual([
    { as: 'number', text: '-0' },
    { as: 'number', text: 'NaN' },
    { as: 'number', text: '-Infinity' },
    { as: 'number', text: '1152921504606846976' },
  ]);
  expect(cut(new Uint8Array(7))).toEqual({ as: 'binary', bytes: 7 });
});

test('a long list of numbers is a vector of which the first ones are shown', () => {
  expect(cut([1, NaN, 3, 4, 5, 6, 7, 8, 9])).toEqual({ as: 'vector', first: [1, 3], length: 9 });
  expect(cut([1, 2, 3, 4, 5, 6, 7, 8])).toEqual({ as: 'list', items: [1, 2, 3], length: 8 });
  expect(cut([1, 2, 3, 4, 5, 6, 7, 8, 'nine'])).toMatchObject({ as: 'list', length: 9 });
});

test('lists and structs are cut to their first items, and to a number of values in all', () => {
  expect(cut({ a: 1, b: 2, c: 3, toolong: 4 })).toEqual({
    as: 'struct',
    members: [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ],
    length: 4,
  });
  expect(cut({ abcdefg: 1 })).toMatchObject({ members: [['abcde', 1]] });
  expect(cut([[1, 2, 3], [4, 5], [6]])).toEqual({
    as: 'list',
    items: [
      { as: 'list', items: [1, 2, 3], length: 3 },
      { as: 'list', items: [4], length: 2 },
    ],
    length: 3,
  });
  expect(cut([{ a: 1, b: 2 }, 3, [4, 5]])).toMatchObject({ items: [{ length: 2 }, 3, { items: [4] }] });
});

test('what is nested too deeply is only said to be there', () => {
  let nested: unknown = 1;
  for (let depth = 0; depth < 12; depth++) nested = [nested];
  const found = JSON.stringify(cutCell(nested, { ...LIMITS, values: 100 }));
  expect(found.match(/"list"/g)).toHaveLength(8);
  expect(found).toContain('{"as":"more"}');
  let structs: unknown = 1;
  for (let depth = 0; depth < 12; depth++) structs = { part: structs };
  const text = JSON.stringify(cutCell(structs, { ...LIMITS, values: 100 }));
  expect(text.match(/"struct"/g)).toHaveLength(8);
  expect(text).toContain('{"as":"more"}');
  expect(cutCell([], { ...LIMITS, values: 0 })).toEqual({ as: 'more' });
});

test('a member is that at the end of a path, or null', () => {
  const value = { a: { b: 1, c: undefined }, d: 'text' };
  expect(
    [[], ['a', 'b'], ['a', 'c'], ['a', 'x'], ['d', 'length'], ['x', 'y']].map((path) => memberOf(value, path)),
  ).toEqual([value, 1, null, null, null, null]);
});
