import { expect, test } from 'vitest';
import { nativeShape } from './native-shape.ts';
import { strictSchema } from './strict-schema.ts';

const object = (properties: object, required: readonly string[] = Object.keys(properties), more: object = {}) => ({
  type: 'object',
  properties,
  required,
  ...more,
});
const text = { type: 'string' };

test('the strict schema is closed, and optional members become nullable', () => {
  const schema = object({ a: text, b: { type: 'integer', minimum: 1 }, c: { type: ['string', 'null'] } }, ['a']);
  expect(strictSchema(schema)).toEqual({
    hasNulls: true,
    schema: {
      type: 'object',
      properties: {
        a: text,
        b: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
        c: { type: ['string', 'null'] },
      },
      required: ['a', 'b', 'c'],
      additionalProperties: false,
    },
  });
});

test('keywords that only narrow are omitted, since answers are checked anyway', () => {
  const schema = object({ a: { ...text, minLength: 3, default: 'x', examples: ['y'] } }, ['a'], {
    $schema: 'x',
    $id: 'y',
  });
  expect(strictSchema(schema)?.schema).toEqual(object({ a: text }, ['a'], { additionalProperties: false }));
});

test.each([
  ['format', 'uri', undefined],
  ['format', 'date-time', 'date-time'],
  ['pattern', '^[a-z]+$', '^[a-z]+$'],
  ['pattern', '^(?:a|b)$', '^(?:a|b)$'],
  ['pattern', String.raw`^(?!^[-+.]*$)\d*$`, undefined],
  ['pattern', String.raw`(a)\1`, undefined],
])('the %s %s becomes %s, since servers reject others', (keyword, value, kept) => {
  const schema = object({ a: { ...text, [keyword]: value, minLength: 1 } });
  const expected = kept === undefined ? text : { ...text, [keyword]: kept };
  expect(strictSchema(schema)?.schema.properties).toEqual({ a: expected });
});

test('a missing type is derived from the listed values', () => {
  const schema = object({ a: { enum: ['x', 'y'] }, b: { enum: [1, null] }, c: { const: 1.5 }, d: { properties: {} } });
  expect(strictSchema(schema)?.schema.properties).toEqual({
    a: { type: 'string', enum: ['x', 'y'] },
    b: { type: ['integer', 'null'], enum: [1, null] },
    c: { type: 'number', const: 1.5 },
    d: { type: 'object', properties: {}, required: [], additionalProperties: false },
  });
});

test('a reference loses its siblings, even within an allOf', () => {
  const $defs = { A: object({ b: text }) };
  const described = { $ref: '#/$defs/A', description: 'An A.', default: {} };
  const wrapped = { allOf: [{ $ref: '#/$defs/A' }], description: 'An A.' };
  const strict = strictSchema({ ...object({ a: described, b: wrapped }), $defs });
  expect(strict?.schema.properties).toEqual({ a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/A' } });
});

test('referenced definitions become strict too', () => {
  const schema = { ...object({ a: { $ref: '#/$defs/A' } }), $defs: { A: object({ b: text }) } };
  expect(strictSchema(schema)?.schema).toMatchObject({ $defs: { A: { additionalProperties: false } } });
});

test.each([
  ['a map', object({ a: { type: 'object', additionalProperties: text } })],
  ['any object', object({ a: { type: 'object' } })],
  ['allOf', object({ a: { allOf: [text, { minLength: 2 }] } })],
  ['allOf beside more', object({ a: { allOf: [text], enum: ['a'] } })],
  ['a list of anything', object({ a: { type: 'array' } })],
  ['anything', object({ a: { description: 'What you like.' } })],
  ['values that are lists', object({ a: { enum: [[1], [2]] } })],
  ['branches beside members', object({ a: text }, ['a'], { anyOf: [object({ b: text })] })],
  ['a reference into members', object({ a: text, b: { $ref: '#/properties/a' } })],
  ['a reference that is narrowed', object({ a: { $ref: '#/$defs/A', enum: ['a'] } }, ['a'], { $defs: { A: text } })],
  ['oneOf', object({ a: { oneOf: [text, { type: 'null' }] } })],
  ['a reference elsewhere', object({ a: { $ref: 'https://a.example/b.json' } })],
  ['true for a schema', object({ a: true })],
  ['a list at the root', { type: 'array', items: text }],
  ['pattern properties', object({}, [], { patternProperties: { '^a': text } })],
  ['an unknown keyword', object({ a: { ...text, unheardOf: 1 } })],
])('%s cannot be made strict without changing its meaning', (_, schema) => {
  expect(strictSchema(schema)).toBeUndefined();
});

test('a schema that cannot be strict is sent unchanged', () => {
  const schema = object({ a: { oneOf: [text, { type: 'null' }] } });
  expect(nativeShape(schema)).toMatchObject({ schema, strict: false });
});

test('a schema with external references is not sent', () => {
  expect(nativeShape(object({ a: { $ref: 'https://a.example/b.json' } }))).toBeUndefined();
});

test('a schema is converted once', () => {
  const schema = object({ a: text });
  expect(nativeShape(schema)).toBe(nativeShape(schema));
});
