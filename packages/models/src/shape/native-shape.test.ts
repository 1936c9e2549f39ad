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

test('a schema is closed, and what may be left out may be null instead', () => {
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

test('what only narrows is left out, since answers are checked anyway', () => {
  const schema = object({ a: { ...text, minLength: 3, default: 'x', examples: ['y'] } }, ['a'], {
    $schema: 'x',
    $id: 'y',
  });
  expect(strictSchema(schema)?.schema).toEqual(object({ a: text }, ['a'], { additionalProperties: false }));
});

test('parts that are referred to are made strict, too', () => {
  const schema = { ...object({ a: { $ref: '#/$defs/A' } }), $defs: { A: object({ b: text }) } };
  expect(strictSchema(schema)?.schema).toMatchObject({ $defs: { A: { additionalProperties: false } } });
});

test.each([
  ['a map', object({ a: { type: 'object', additionalProperties: text } })],
  ['any object', object({ a: { type: 'object' } })],
  ['allOf', object({ a: { allOf: [text] } })],
  ['oneOf', object({ a: { oneOf: [text, { type: 'null' }] } })],
  ['a reference elsewhere', object({ a: { $ref: 'https://a.example/b.json' } })],
  ['true for a schema', object({ a: true })],
  ['a list at the root', { type: 'array', items: text }],
  ['pattern properties', object({}, [], { patternProperties: { '^a': text } })],
  ['an unknown keyword', object({ a: { ...text, unheardOf: 1 } })],
])('%s cannot be made strict without a change of what may be said', (_, schema) => {
  expect(strictSchema(schema)).toBeUndefined();
});

test('a schema that cannot be strict is asked for as it is', () => {
  const schema = object({ a: { oneOf: [text, { type: 'null' }] } });
  expect(nativeShape(schema)?.responseFormat).toEqual({
    type: 'json_schema',
    json_schema: { name: 'answer', schema, strict: false },
  });
});

test('a schema that refers to others elsewhere is not sent at all', () => {
  expect(nativeShape(object({ a: { $ref: 'https://a.example/b.json' } }))).toBeUndefined();
});

test('a schema is worked out once', () => {
  const schema = object({ a: text });
  expect(nativeShape(schema)).toBe(nativeShape(schema));
});

const NESTED = {
  type: 'object',
  properties: {
    name: text,
    nick: text,
    born: { type: ['integer', 'null'] },
    friends: { type: 'array', items: { $ref: '#/$defs/friend' } },
    home: { anyOf: [object({ city: text, zip: text }, ['city']), { type: 'null' }] },
  },
  required: ['name'],
  $defs: { friend: object({ name: text, since: { type: 'integer' } }, ['name']) },
};

test("nulls that stand for nothing are taken out again, so that the answer keeps the user's own schema", () => {
  const answer = {
    name: 'A',
    nick: null,
    born: null,
    friends: [
      { name: 'B', since: null },
      { name: 'C', since: 2 },
    ],
    home: { city: 'D', zip: null },
  };
  const read = nativeShape(NESTED)?.read(JSON.stringify(answer)) ?? '';
  expect(JSON.parse(read)).toEqual({
    name: 'A',
    born: null,
    friends: [{ name: 'B' }, { name: 'C', since: 2 }],
    home: { city: 'D' },
  });
});

test('a null that the user asked for stays, as do numbers, texts that are no JSON, and a wrong null', () => {
  const read = nativeShape(NESTED)?.read;
  expect(read?.('{"name":null,"n":1.0,"m":12345678901234567890}')).toBe(
    '{"name":null,"n":1.0,"m":12345678901234567890}',
  );
  expect(read?.('null and void')).toBe('null and void');
  expect(read?.('{"name":"A"}')).toBe('{"name":"A"}');
});

test('a schema that goes round in circles is no endless walk', () => {
  const schema = { ...object({ child: { $ref: '#' }, a: text }, ['a']) };
  const read = nativeShape(schema)?.read('{"a":"x","child":{"a":"y","child":null}}') ?? '';
  expect(JSON.parse(read)).toEqual({ a: 'x', child: { a: 'y' } });
});
