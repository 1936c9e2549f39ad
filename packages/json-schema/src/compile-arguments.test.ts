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
const texts = { type: 'array', items: text };

test('valid arguments pass unchanged, with every digit', () => {
  const value = parseJson('{"id":12345678901234567890,"x":1.0,"other":[null]}');
  const result = compileArguments(object({ id: whole, x: whole }))?.(value);
  expect(result).toEqual({ value });
  expect(result && 'value' in result && result.value).toBe(value);
});

describe('arguments of a wrong type are converted:', () => {
  test.each<[string, JsonSchema, string, CellValue]>([
    ['text becomes a number', object({ n: whole }), '{"n":"5"}', { n: 5 }],
    ['text becomes a boolean', object({ b: { type: 'boolean' } }), '{"b":"true"}', { b: true }],
    ['a number becomes text', object({ t: text }), '{"t":7}', { t: '7' }],
    [
      'a long integer keeps its digits',
      object({ n: whole }),
      '{"n":"12345678901234567890"}',
      { n: 12345678901234567890n },
    ],
    ['a valid member keeps its form', object({ n: whole, x: {} }), '{"n":"5","x":1.0}', { n: 5, x: new Float(1) }],
    ['an optional null is dropped', object({ n: whole, t: text }), '{"n":null,"t":"a"}', { t: 'a' }],
    [
      'an optional null in a nested object is dropped',
      object({ a: object({ n: whole }) }),
      '{"a":{"n":null}}',
      { a: {} },
    ],
    [
      'an optional null under a name with special characters is dropped',
      object({ 'a/b': whole, 'c~d': whole }),
      '{"a/b":null,"c~d":null}',
      {},
    ],
    [
      'an optional null object under such a name is dropped',
      object({ 'a/b': object({}), 'c~d': object({}) }),
      '{"a/b":null,"c~d":null}',
      {},
    ],
    [
      'an optional null in place of an object is dropped',
      object({ o: object({}), n: whole }),
      '{"o":null,"n":"1"}',
      { n: 1 },
    ],
    [
      'an allowed null stays',
      object({ n: whole, t: { type: ['string', 'null'] } }),
      '{"n":"1","t":null}',
      { n: 1, t: null },
    ],
    ['a list as JSON text is parsed', object({ l: texts }), '{"l":"[\\"a\\",\\"b\\"]"}', { l: ['a', 'b'] }],
    [
      'an object as JSON text is parsed',
      object({ o: object({ n: whole }) }),
      '{"o":"{\\"n\\": \\"5\\"}"}',
      { o: { n: 5 } },
    ],
    [
      'an optional list as JSON text is parsed',
      object({ l: { anyOf: [{ type: 'array', items: whole }, { type: 'null' }] } }),
      '{"l":" [1,2] "}',
      { l: [1, 2] },
    ],
    [
      'a list of objects as JSON texts is parsed',
      object({ l: { type: 'array', items: object({ id: whole }) } }),
      '{"l":"[\\"{\\\\\\"id\\\\\\":12345678901234567890}\\"]"}',
      { l: [{ id: 12345678901234567890n }] },
    ],
    [
      'an object behind a reference is parsed',
      { ...object({ o: { $ref: '#/$defs/o' } }), $defs: { o: object({ k: whole }) } },
      '{"o":"{\\"k\\":1}"}',
      { o: { k: 1 } },
    ],
    [
      'a list in a nested object is parsed',
      object({ 'a/b': object({ l: texts }) }),
      '{"a/b":{"l":"[]"}}',
      { 'a/b': { l: [] } },
    ],
    ['JSON text stays where text is allowed', object({ t: text, n: whole }), '{"t":"[1]","n":"1"}', { t: '[1]', n: 1 }],
    [
      'a null as text becomes null where that is allowed',
      object({ n: { type: ['integer', 'null'] } }),
      '{"n":"null"}',
      { n: null },
    ],
    ['a boolean of Python becomes one', object({ b: { type: 'boolean' } }), '{"b":"True"}', { b: true }],
  ])('%s', (...[, schema, json, value]) => {
    expect(accept(schema, json)).toEqual(value);
  });

  test('the original stays unchanged', () => {
    const value = parseJson('{"n":"5"}');
    compileArguments(object({ n: whole }))?.(value);
    expect(value).toEqual({ n: '5' });
  });
});

test.each<[string, JsonSchema, string, RegExp]>([
  [
    'a text that is not an integer',
    object({ n: whole }),
    '{"n":"five"}',
    /^wrong: 'n' must be of type integer, but it is "five"\.$/,
  ],
  [
    'the error that remains after conversion',
    object({ n: whole, t: whole }),
    '{"n":"5","t":"x"}',
    /'t' must be of type integer/,
  ],
  [
    'a missing required member',
    object({ t: text }, { required: ['t'] }),
    '{}',
    /the arguments object lacks the required property 't'/,
  ],
  [
    'a null in a required member',
    object({ t: text }, { required: ['t'] }),
    '{"t":null}',
    /lacks the required property 't'/,
  ],
  [
    'a single value in place of a list',
    object({ l: texts }),
    '{"l":"a"}',
    /^wrong: 'l' must be of type array, but it is "a"/,
  ],
  ['an item of a parsed list', object({ l: texts }), '{"l":"[{}]"}', /'l\[0\]' must be of type string, but it is \{\}/],
  ['an object as text in place of a list', object({ l: texts }), '{"l":"{}"}', /^wrong: 'l' must be of type array/],
  ['a null in a list', object({ l: { type: 'array', items: whole } }), '{"l":[null]}', /'l\[0\]' must be of the type/],
  [
    'a text of a wrong format',
    object({ d: { type: 'string', format: 'date' } }),
    '{"d":"tomorrow"}',
    /'d' must match format "date"/,
  ],
])('the mistake names %s', (...[, schema, json, mistake]) => {
  expect(accept(schema, json)).toMatch(mistake);
});

const sets = [{ required: ['id'] }, { required: ['name', 'city'] }];
const optional = { id: whole, name: text, city: text };

test.each<[string, JsonSchema, string, string]>([
  [
    'no set of anyOf is complete',
    object(optional, { anyOf: sets }),
    '{"name":"a"}',
    `the arguments object must have one of these sets of properties: 'id'; 'name' and 'city', but it is {"name":"a"}.`,
  ],
  [
    'no set of oneOf is complete',
    object(optional, { oneOf: sets }),
    '{}',
    `the arguments object must have exactly one of these sets of properties: 'id'; 'name' and 'city', but it is {}.`,
  ],
  [
    'two sets of oneOf are complete',
    object(optional, { oneOf: sets }),
    '{"id":1,"name":"a","city":"b"}',
    `the arguments object must have exactly one of these sets of properties: 'id'; 'name' and 'city', but it is {"id":1,"name":"a","city":"b"}.`,
  ],
  [
    'no set of a nested object is complete',
    object({ at: object(optional, { anyOf: sets }) }),
    '{"at":{}}',
    `'at' must have one of these sets of properties: 'id'; 'name' and 'city', but it is {}.`,
  ],
])('the mistake lists the sets of properties when %s', (...[, schema, json, mistake]) => {
  expect(accept(schema, json)).toBe(`wrong: ${mistake}`);
});

test('a schema is validated by the dialect it names', () => {
  const tuple = { items: [whole, text], additionalItems: false };
  const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#', ...object({ l: tuple }) };
  expect(accept(draft7, '{"l":[1,"a",2]}')).toMatch(/'l' must NOT have more than 2 items/);
  expect(accept(object({ l: { prefixItems: [whole], items: false } }), '{"l":[1,2]}')).toMatch(/'l' must NOT have/);
});

test('unknown keywords and formats are ignored', () => {
  expect(accept(object({ t: { type: 'string', format: 'colour', 'x-hint': 1 } }), '{"t":"red"}')).toEqual({ t: 'red' });
});

const named = (n: JsonSchema): JsonSchema => ({ $id: 'https://a.example/tool', ...object({ n }) });

test('two schemas may have the same $id', () => {
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
