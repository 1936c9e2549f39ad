import { describe, expect, test } from 'vitest';
import { type CellValue, Float, parseJson } from '@data-designer/core';
import { compileArguments } from './compile-arguments.ts';
import type { JsonSchema } from './json-schema.ts';

const accept = (schema: JsonSchema, json: string): CellValue => {
  const result = compileArguments(schema)?.(parseJson(json));
  if (!result) throw new Error('The schema does not compile.');
  return 'value' in result ? result.value : `wrong: ${result.mistake}`;
};

const object = (properties: JsonSchema, rest: JsonSchema = {}): JsonSchema => ({ type: 'object', properties, ...rest });
const whole = { type: 'integer' };
const text = { type: 'string' };

test('arguments that fit are given on as they are, with every digit', () => {
  const value = parseJson('{"id":12345678901234567890,"x":1.0,"other":[null]}');
  const result = compileArguments(object({ id: whole, x: whole }))?.(value);
  expect(result).toEqual({ value });
  expect(result && 'value' in result && result.value).toBe(value);
});

describe('arguments of another type', () => {
  test.each<[string, JsonSchema, string, CellValue]>([
    ['text becomes a number', object({ n: whole }), '{"n":"5"}', { n: 5 }],
    ['text becomes a truth value', object({ b: { type: 'boolean' } }), '{"b":"true"}', { b: true }],
    ['a number becomes text', object({ t: text }), '{"t":7}', { t: '7' }],
    [
      'a long integer keeps its digits',
      object({ n: whole }),
      '{"n":"12345678901234567890"}',
      { n: 12345678901234567890n },
    ],
    ['what was right keeps its form', object({ n: whole, x: {} }), '{"n":"5","x":1.0}', { n: 5, x: new Float(1) }],
    ['an optional null is left out', object({ n: whole, t: text }), '{"n":null,"t":"a"}', { t: 'a' }],
    ['so it is deeper down', object({ a: object({ n: whole }) }), '{"a":{"n":null}}', { a: {} }],
    ['so it is under any name', object({ 'a/b': whole, 'c~d': whole }), '{"a/b":null,"c~d":null}', {}],
    [
      'an optional null object is left out under any name',
      object({ 'a/b': object({}), 'c~d': object({}) }),
      '{"a/b":null,"c~d":null}',
      {},
    ],
    ['so it is where an object is asked for', object({ o: object({}), n: whole }), '{"o":null,"n":"1"}', { n: 1 }],
    [
      'a null that is allowed stays',
      object({ n: whole, t: { type: ['string', 'null'] } }),
      '{"n":"1","t":null}',
      { n: 1, t: null },
    ],
  ])('%s', (...[, schema, json, value]) => {
    expect(accept(schema, json)).toEqual(value);
  });

  test('are changed in a copy alone', () => {
    const value = parseJson('{"n":"5"}');
    compileArguments(object({ n: whole }))?.(value);
    expect(value).toEqual({ n: '5' });
  });
});

test.each<[string, JsonSchema, string, RegExp]>([
  [
    'a type that cannot be had',
    object({ n: whole }),
    '{"n":"five"}',
    /^wrong: 'n' must be of type integer, but it is "five"\.$/,
  ],
  ['what is left after the types', object({ n: whole, t: whole }), '{"n":"5","t":"x"}', /'t' must be of type integer/],
  [
    'a member that lacks',
    object({ t: text }, { required: ['t'] }),
    '{}',
    /the arguments object lacks the required property 't'/,
  ],
  [
    'a null that must be something',
    object({ t: text }, { required: ['t'] }),
    '{"t":null}',
    /lacks the required property 't'/,
  ],
  ['a null in a list', object({ l: { type: 'array', items: whole } }), '{"l":[null]}', /'l\[0\]' must be of the type/],
  ['a format', object({ d: { type: 'string', format: 'date' } }), '{"d":"tomorrow"}', /'d' must match format "date"/],
])('names %s', (...[, schema, json, mistake]) => {
  expect(accept(schema, json)).toMatch(mistake);
});

const sets = [{ required: ['id'] }, { required: ['name', 'city'] }];
const optional = { id: whole, name: text, city: text };

test.each<[string, JsonSchema, string, string]>([
  [
    'none of them is given',
    object(optional, { anyOf: sets }),
    '{"name":"a"}',
    `the arguments object must have one of these sets of properties: 'id'; 'name' and 'city', but it is {"name":"a"}.`,
  ],
  [
    'none of exactly one',
    object(optional, { oneOf: sets }),
    '{}',
    `the arguments object must have exactly one of these sets of properties: 'id'; 'name' and 'city', but it is {}.`,
  ],
  [
    'more than one of exactly one',
    object(optional, { oneOf: sets }),
    '{"id":1,"name":"a","city":"b"}',
    `the arguments object must have exactly one of these sets of properties: 'id'; 'name' and 'city', but it is {"id":1,"name":"a","city":"b"}.`,
  ],
  [
    'none deeper down',
    object({ at: object(optional, { anyOf: sets }) }),
    '{"at":{}}',
    `'at' must have one of these sets of properties: 'id'; 'name' and 'city', but it is {}.`,
  ],
])('sets of properties of which %s are named', (...[, schema, json, mistake]) => {
  expect(accept(schema, json)).toBe(`wrong: ${mistake}`);
});

test('a schema is read by the dialect it names', () => {
  const tuple = { items: [whole, text], additionalItems: false };
  const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#', ...object({ l: tuple }) };
  expect(accept(draft7, '{"l":[1,"a",2]}')).toMatch(/'l' must NOT have more than 2 items/);
  expect(accept(object({ l: { prefixItems: [whole], items: false } }), '{"l":[1,2]}')).toMatch(/'l' must NOT have/);
});

test('unknown keywords and formats are passed over', () => {
  expect(accept(object({ t: { type: 'string', format: 'colour', 'x-hint': 1 } }), '{"t":"red"}')).toEqual({ t: 'red' });
});

const named = (n: JsonSchema): JsonSchema => ({ $id: 'https://a.example/tool', ...object({ n }) });

test('two schemas may have one name', () => {
  expect(accept(named(whole), '{"n":1}')).toEqual({ n: 1 });
  expect(accept(named(text), '{"n":"a"}')).toEqual({ n: 'a' });
});

test.each([
  [{ $ref: 'https://elsewhere.example/schema.json' }],
  [{ type: 'strng' }],
  [object({ a: { $ref: '#/$defs/Missing' } })],
])('%j does not compile, and nothing is fetched', (schema) => {
  expect(compileArguments(schema)).toBeUndefined();
});
