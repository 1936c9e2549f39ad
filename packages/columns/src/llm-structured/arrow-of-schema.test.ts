import { expect, test } from 'vitest';
import { type ArrowType, encodedField, field, Float } from '@data-designer/core';
import type { JsonSchema } from '@data-designer/json-schema';
import { arrowOfSchema, fieldOfSchema } from './arrow-of-schema.ts';

const text = { type: 'string' };
const whole = { type: 'integer' };
const open = (name: string) => field(name, 'utf8', { json: true });
const object = (properties: JsonSchema, more: JsonSchema = {}) => ({ type: 'object', properties, ...more });

test.each<[string, JsonSchema, ArrowType]>([
  ['text', text, 'utf8'],
  ['an integer', whole, 'int64'],
  ['a number', { type: 'number' }, 'float64'],
  ['a boolean', { type: 'boolean' }, 'bool'],
  ['a type or null', { type: ['integer', 'null'] }, 'int64'],
  ['integers and numbers', { type: ['integer', 'number'] }, 'float64'],
  ['a branch or null', { anyOf: [{ type: 'null' }, { type: 'array', items: text }] }, { list: 'utf8' }],
  ['texts to choose from', { enum: ['a', 'b', null] }, 'utf8'],
  ['integers to choose from', { enum: [1, 2] }, 'int64'],
  ['floats to choose from', { enum: [new Float(1), 2.5] }, 'float64'],
  ['one text', { const: 'a' }, 'utf8'],
  ['a decimal', { anyOf: [{ type: 'number' }, { type: 'string', pattern: '^\\d{0,3}$' }] }, 'float64'],
  ['a decimal of any places', { anyOf: [{ type: 'number', minimum: 0 }, { type: 'string' }] }, 'float64'],
  [
    'an object with a free-form member',
    object({ a: text, b: { type: 'object' }, c: { description: 'Any.' }, d: { type: 'null' } }),
    { struct: [field('a', 'utf8'), open('b'), open('c'), open('d')] },
  ],
  [
    'a list of objects with a member of mixed types',
    { type: 'array', items: object({ a: whole, b: { type: ['string', 'integer'] } }) },
    { list: { struct: [field('a', 'int64'), open('b')] } },
  ],
  [
    'two kinds of object that disagree in one member',
    { anyOf: [object({ a: text, n: whole }), object({ a: whole, n: whole, o: {} })] },
    { struct: [open('a'), field('n', 'int64'), open('o')] },
  ],
  [
    'recursion',
    { $defs: { N: object({ v: whole, next: { $ref: '#/$defs/N' } }) }, $ref: '#/$defs/N' },
    { struct: [field('v', 'int64'), open('next')] },
  ],
  ['an object', object({ a: text, b: whole }), { struct: [field('a', 'utf8'), field('b', 'int64')] }],
  ['a list of lists', { type: 'array', items: { type: 'array', items: whole } }, { list: { list: 'int64' } }],
  ['a reference', { $defs: { A: text }, $ref: '#/$defs/A' }, 'utf8'],
  [
    'a reference with a title',
    object({ a: { $ref: '#/$defs/A', title: 'A' } }, { $defs: { A: whole } }),
    { struct: [field('a', 'int64')] },
  ],
  ['an allOf of one', { allOf: [text] }, 'utf8'],
  [
    'two kinds of object',
    { oneOf: [object({ a: text, n: whole }), object({ b: text, n: { type: 'number' } })] },
    { struct: [field('a', 'utf8'), field('n', 'float64'), field('b', 'utf8')] },
  ],
])('%s', (_, schema, type) => {
  expect(arrowOfSchema(schema)).toEqual(type);
});

test.each<[string, JsonSchema]>([
  ['anything', {}],
  ['nothing but null', { type: 'null' }],
  ['a free-form object', { type: 'object' }],
  ['an object without members', object({})],
  ['properties of what may be no object', { properties: { a: text } }],
  ['a map', { type: 'object', additionalProperties: whole }],
  ['members by pattern', object({ a: text }, { patternProperties: { x: text } })],
  ['members from several schemas', object({ a: text }, { allOf: [object({ b: text })] })],
  ['a list of anything', { type: 'array' }],
  ['a tuple', { type: 'array', prefixItems: [text], items: text }],
  ['text or integer', { type: ['string', 'integer'] }],
  ['a reference that leads nowhere', { $ref: '#/$defs/No' }],
  ['an enum of nothing', { enum: [] }],
])('%s has no Arrow type', (_, schema) => {
  expect(arrowOfSchema(schema)).toBeUndefined();
});

const json = { 'x-data-designer-storage': 'json' };

test.each<[string, JsonSchema, ReturnType<typeof field>]>([
  ['the whole schema', object({ a: text }, json), encodedField('v')],
  ['a free-form member', object({ a: { type: 'object', ...json } }), field('v', { struct: [encodedField('a')] })],
  ['a typed member', object({ a: { ...whole, ...json } }), field('v', { struct: [encodedField('a')] })],
  [
    'items',
    object({ a: { type: 'array', items: json } }),
    field('v', { struct: [encodedField('a', { list: 'utf8' })] }),
  ],
  ['items alone', { type: 'array', items: json }, encodedField('v', { list: 'utf8' })],
  [
    'a reference',
    object({ a: { $ref: '#/$defs/A', ...json } }, { $defs: { A: text } }),
    field('v', { struct: [encodedField('a')] }),
  ],
  [
    'the target of a reference',
    object({ a: { $ref: '#/$defs/A' } }, { $defs: { A: json } }),
    field('v', { struct: [encodedField('a')] }),
  ],
  [
    'a branch beside null',
    { anyOf: [{ type: 'array', items: json }, { type: 'null' }] },
    encodedField('v', { list: 'utf8' }),
  ],
  ['a branch beside another', { anyOf: [{ type: 'array', items: json }, text] }, encodedField('v')],
  [
    'a member of one of two objects',
    { anyOf: [object({ a: json }), object({ a: text })] },
    field('v', { struct: [encodedField('a')] }),
  ],
])('JSON storage of %s', (_, schema, expected) => {
  expect(fieldOfSchema('v', schema)).toEqual(expected);
});

test('gives up on references that expand exponentially', () => {
  const levels = Array.from({ length: 20 }, (_, level) => [
    `L${level}`,
    object({ a: { $ref: `#/$defs/L${level + 1}` }, b: { $ref: `#/$defs/L${level + 1}` } }),
  ]);
  const schema = { $defs: { ...Object.fromEntries(levels), L20: text }, $ref: '#/$defs/L0' };
  expect(arrowOfSchema(schema)).toBeUndefined();
});
