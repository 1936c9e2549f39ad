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

test('nulls for absent members are dropped, so that the data matches the schema of the user', () => {
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

test('a null in a required member stays for the model to correct, and numbers keep their digits', () => {
  const written = '{"name":null,"n":1.0,"m":12345678901234567890,"nick":null}';
  expect(stringifyJson(nullDropper(NESTED)(parseJson(written)))).toBe('{"name":null,"n":1.0,"m":12345678901234567890}');
});

test('members of any name are kept when others are dropped', () => {
  const written = '{"__proto__":{"a":1},"name":"A","nick":null}';
  expect(stringifyJson(nullDropper(NESTED)(parseJson(written)))).toBe('{"__proto__":{"a":1},"name":"A"}');
});

test.each<[string, CellValue]>([
  ['data without any', { name: 'A', friends: [{ name: 'B' }], home: { city: 'D' } }],
  ['data with none to take out', { name: 'A', born: null, friends: [] }],
  ['data of another kind', [null, { nick: null }]],
])('%s is returned without a copy', (_, data) => {
  expect(nullDropper(NESTED)(data)).toBe(data);
});

test('if several branches have a member of one name, nulls are dropped in each of them', () => {
  const one = object({ kind: { const: 'one' }, of: object({ a: text }) });
  const two = object({ kind: { const: 'two' }, of: object({ b: text, c: text }, ['c']) });
  const drop = nullDropper(object({ part: { anyOf: [one, two] } }));
  expect(drop({ part: { kind: 'two', of: { b: null, c: 'x' } } })).toEqual({ part: { kind: 'two', of: { c: 'x' } } });
});

test('a null is dropped if one branch forbids it and the member is optional in another', () => {
  const one = object({ kind: { const: 'one' }, a: text });
  const two = object({ kind: { const: 'two' }, a: text }, ['kind']);
  const drop = nullDropper(object({ part: { anyOf: [one, two] } }));
  expect(drop({ part: { kind: 'two', a: null } })).toEqual({ part: { kind: 'two' } });
});

test('a recursive schema does not loop forever', () => {
  const drop = nullDropper(object({ child: { $ref: '#' }, a: text, self: { $ref: '#/properties/self' } }, ['a']));
  const data = { a: 'x', child: { a: 'y', child: { a: 'z', child: null } } };
  expect(drop(data)).toEqual({ a: 'x', child: { a: 'y', child: { a: 'z' } } });
});
