import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { breakValue } from './break-value.ts';
import { drawValue } from './draw-value.ts';
import { Prompt } from './prompt.ts';
import type { Schema } from './resolve-schema.ts';

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);

const promptOf = (content: string) => new Prompt({ model: 'sim-small', messages: [{ role: 'user', content }] });
const prompt = promptOf('Write a short review of a bicycle for the topic "touring in Bavaria".');

function draw(schema: Schema, row: number, about?: string): unknown {
  const random = Random.of(7, 'test').at(row);
  return drawValue(schema, { root: schema, prompt, random, name: '', about, depth: 0 });
}

const person = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 3, maxLength: 12 },
    age: { type: 'integer', minimum: 18, exclusiveMaximum: 21 },
    email: { type: 'string', format: 'email' },
    nickname: { anyOf: [{ type: 'string', maxLength: 4 }, { type: 'null' }] },
  },
  required: ['name', 'age'],
  additionalProperties: false,
};

const SCHEMAS: Readonly<Record<string, Schema>> = {
  'an object with bounds': person,
  'a reference': { $ref: '#/$defs/person', $defs: { person } },
  'an array of references': {
    type: 'array',
    items: { $ref: '#/$defs/person' },
    minItems: 2,
    maxItems: 4,
    $defs: { person },
  },
  'a tree': {
    $ref: '#/$defs/node',
    $defs: {
      node: {
        type: 'object',
        properties: { label: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
        required: ['label', 'children'],
      },
    },
  },
  'a list by links': {
    $ref: '#/$defs/link',
    $defs: {
      link: {
        type: 'object',
        properties: { next: { anyOf: [{ $ref: '#/$defs/link' }, { type: 'null' }] } },
        required: ['next'],
      },
    },
  },
  'parts that must all hold': {
    allOf: [
      { $ref: '#/$defs/a' },
      { $ref: '#/$defs/b' },
      { properties: { count: { minimum: 5 } }, required: ['count'] },
    ],
    $defs: {
      a: { type: 'object', properties: { count: { type: 'integer', maximum: 6 } } },
      b: { type: 'object', properties: { kind: { enum: ['x', 'y'] } }, required: ['kind'] },
    },
  },
  'one of several objects': {
    oneOf: [
      {
        type: 'object',
        properties: { kind: { const: 'cat' }, lives: { type: 'integer', maximum: 9 } },
        required: ['kind', 'lives'],
      },
      { type: 'object', properties: { kind: { const: 'dog' } }, required: ['kind'] },
    ],
  },
  'a judgement': {
    type: 'object',
    properties: {
      quality: {
        type: 'object',
        properties: { reasoning: { type: 'string' }, score: { enum: [1, 2, 3, 4] } },
        required: ['reasoning', 'score'],
      },
    },
    required: ['quality'],
  },
  'numbers of all kinds': {
    type: 'object',
    properties: {
      half: { type: 'number', minimum: 0, maximum: 1, multipleOf: 0.25 },
      below: { type: 'number', exclusiveMaximum: 0 },
      narrow: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.01 },
      even: { type: 'integer', minimum: 3, multipleOf: 2 },
      free: { type: ['number', 'null'] },
      yes: { const: true },
    },
    required: ['half', 'below', 'narrow', 'even', 'free', 'yes'],
  },
  'a map': { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 2 },
  'a tuple': { type: 'array', prefixItems: [{ type: 'string' }, { type: 'boolean' }], items: false, minItems: 2 },
  'a set': { type: 'array', items: { enum: ['a', 'b', 'c'] }, uniqueItems: true, minItems: 2, maxItems: 3 },
  'a text of some length': { type: 'string', minLength: 80, maxLength: 90 },
  'a pattern': { type: 'string', pattern: '^[A-Z]{2,6}-\\d+$', maxLength: 7 },
  formats: {
    type: 'array',
    prefixItems: ['date', 'time', 'date-time', 'email', 'uri', 'uuid', 'ipv4', 'ipv6', 'hostname', 'duration'].map(
      (format) => ({ type: 'string', format }),
    ),
  },
};

describe.each(Object.entries(SCHEMAS))('%s', (_name, schema) => {
  const isValid = ajv.compile(schema);

  test('gives valid values only', () => {
    for (let row = 0; row < 300; row++) {
      const value = draw(schema, row);
      isValid(value);
      expect({ value, errors: isValid.errors }).toEqual({ value, errors: null });
    }
  });

  test('gives invalid values after breakValue', () => {
    for (let row = 0; row < 100; row++) {
      const broken = breakValue(draw(schema, row), schema, Random.of(8, 'test').at(row));
      expect({ broken, isValid: isValid(broken) }).toEqual({ broken, isValid: false });
    }
  });
});

test('prefers a value that the question gives', () => {
  const topic = { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] };
  expect(draw(topic, 1)).toEqual({ topic: 'touring in Bavaria' });
  const choice = { enum: ['car', 'bicycle', 'train'] };
  expect([0, 1, 2, 3].map((row) => draw(choice, row))).toEqual(['bicycle', 'bicycle', 'bicycle', 'bicycle']);
});

test('takes a quoted value of the question whole, dots included', () => {
  const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
  const site = { root: path, prompt: promptOf('Read the path "notes/tides.txt".'), name: '', depth: 0 };
  expect(drawValue(path, { ...site, random: Random.of(7, 'test') })).toEqual({ path: 'notes/tides.txt' });
});

test('prefers values that the tool lists, first those in the question', () => {
  const thing = { type: 'object', properties: { thing: { type: 'string' } }, required: ['thing'] };
  expect(draw(thing, 1, 'Looks up a thing. Things: train, bicycle, car.')).toEqual({ thing: 'bicycle' });
  expect(draw(thing, 1, 'Looks up a thing. Things: train, car.')).toHaveProperty(
    'thing',
    expect.stringMatching(/^(train|car)$/),
  );
});

test('limits the length of texts and arrays that a schema asks for', () => {
  expect(String(draw({ type: 'string', minLength: 1e9 }, 0)).length).toBeLessThan(101_000);
  expect(draw({ type: 'array', items: { type: 'boolean' }, minItems: 1e9 }, 0)).toHaveLength(1_000);
});
