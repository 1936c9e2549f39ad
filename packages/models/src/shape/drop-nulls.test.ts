import { expect, test } from 'vitest';
import { type CellValue, parseJson, stringifyJson } from '@data-designer/core';
import { nullDropper } from './drop-nulls.ts';

const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});
const text = { type: 'string' };

const NESTED = {
  type: 'object',
  properties: {
    name: text,
    nick: text,
    born: { type: ['integer', 'null'] },
    friends: { type: 'array', items: { $ref: '#/$defs/friend' } },
    home: { anyOf: [object({ city: text, zip: text }, ['city']), { type: 'null' }] },
    job: { $ref: '#/$defs/perhaps' },
  },
  required: ['name'],
  $defs: { friend: object({ name: text, since: { type: 'integer' } }, ['name']), perhaps: { enum: ['baker', null] } },
};

test("nulls that stand for nothing are taken out, so that the data keeps the user's own schema", () => {
  const data = {
    name: 'A',
    nick: null,
    born: null,
    friends: [
      { name: 'B', since: null },
      { name: 'C', since: 2 },
    ],
    home: { city: 'D', zip: null },
    job: null,
  };
  expect(nullDropper(NESTED)(data)).toEqual({
    name: 'A',
    born: null,
    friends: [{ name: 'B' }, { name: 'C', since: 2 }],
    home: { city: 'D' },
    job: null,
  });
});

test('a null that is wrong stays for the model to hear of, and numbers stay what they are', () => {
  const written = '{"name":null,"n":1.0,"m":12345678901234567890,"nick":null}';
  expect(stringifyJson(nullDropper(NESTED)(parseJson(written)))).toBe('{"name":null,"n":1.0,"m":12345678901234567890}');
});

test('members of any name are kept beside those that go', () => {
  const written = '{"__proto__":{"a":1},"name":"A","nick":null}';
  expect(stringifyJson(nullDropper(NESTED)(parseJson(written)))).toBe('{"__proto__":{"a":1},"name":"A"}');
});

test.each<[string, CellValue]>([
  ['data without any', { name: 'A', friends: [{ name: 'B' }], home: { city: 'D' } }],
  ['data with none to take out', { name: 'A', born: null, friends: [] }],
  ['data of another kind', [null, { nick: null }]],
])('%s is the same afterwards', (_, data) => {
  expect(nullDropper(NESTED)(data)).toBe(data);
});

test('where branches share a name each of them is followed', () => {
  const one = object({ kind: { const: 'one' }, of: object({ a: text }) });
  const two = object({ kind: { const: 'two' }, of: object({ b: text, c: text }, ['c']) });
  const drop = nullDropper(object({ part: { anyOf: [one, two] } }));
  expect(drop({ part: { kind: 'two', of: { b: null, c: 'x' } } })).toEqual({ part: { kind: 'two', of: { c: 'x' } } });
});

test('a null that one branch must not have and another need not is taken out', () => {
  const one = object({ kind: { const: 'one' }, a: text });
  const two = object({ kind: { const: 'two' }, a: text }, ['kind']);
  const drop = nullDropper(object({ part: { anyOf: [one, two] } }));
  expect(drop({ part: { kind: 'two', a: null } })).toEqual({ part: { kind: 'two' } });
});

test('a schema that goes round in circles is no endless walk', () => {
  const drop = nullDropper(object({ child: { $ref: '#' }, a: text, self: { $ref: '#/properties/self' } }, ['a']));
  const data = { a: 'x', child: { a: 'y', child: { a: 'z', child: null } } };
  expect(drop(data)).toEqual({ a: 'x', child: { a: 'y', child: { a: 'z' } } });
});
