import { expect, test } from 'vitest';
import { parseJson } from '@data-designer/core';
import type { JsonSchema } from '@data-designer/json-schema';
import { portableSchema } from './portable-schema.ts';
import { withRealNames } from './property-names.ts';
import { catalogOf } from './tool-catalog.ts';
import { toolSchema } from './tool-listing.ts';
import { prepareCall } from './prepare-call.ts';

const LEGAL = /^[a-zA-Z0-9_.-]{1,64}$/;
const LONG = 'a'.repeat(65);

const SCHEMA = {
  type: 'object',
  properties: {
    $top: { type: 'integer', description: 'How many.' },
    'user.name': { type: 'string' },
    'a b': { type: 'string' },
    a_b: { type: 'string' },
    名前: { type: 'string' },
    [LONG]: { type: 'string' },
    '': { type: 'string' },
    filter: {
      type: 'array',
      items: { type: 'object', properties: { $eq: { type: 'string' } }, required: ['$eq'] },
    },
    either: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/Node' }] },
    same: { $ref: '#/properties/a%20b' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
  },
  required: ['$top', 'a b'],
  dependentRequired: { $top: ['a b'] },
  $defs: { Node: { type: 'object', properties: { '@id': { type: 'string' }, next: { $ref: '#/$defs/Node' } } } },
} satisfies JsonSchema;

function sentOf(schema: JsonSchema): JsonSchema {
  const portable = portableSchema(schema);
  if ('dropped' in portable) throw new Error(portable.dropped);
  return portable.parameters;
}

function keysOf(schema: unknown): string[] {
  const { properties = {} }: { readonly properties?: object } = Object(schema);
  return Object.keys(properties);
}

test('properties get names that model APIs accept, and keep those that are accepted', () => {
  const sent = sentOf(SCHEMA);
  const names = keysOf(sent);
  expect(names.filter((name) => !LEGAL.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(Object.keys(SCHEMA.properties).length);
  expect(names).toEqual(expect.arrayContaining(['_top', 'user.name', 'a_b', 'filter', 'labels']));
  expect(JSON.stringify(sent)).not.toMatch(/"(?:\$eq|@id|\$top)"/);
  expect(sent['required']).toEqual(['_top', names[2]]);
  expect(sent['dependentRequired']).toEqual({ _top: [names[2]] });
});

test('the description of a renamed property gives its real name', () => {
  const { properties }: { readonly properties?: Record<string, unknown> } = sentOf(SCHEMA);
  expect(properties?.['_top']).toEqual({
    type: 'integer',
    description: 'How many. (The tool calls this property "$top".)',
  });
});

test('a reference to a renamed property is renamed, too', () => {
  const sent = sentOf(SCHEMA);
  const { properties }: { readonly properties?: Record<string, unknown> } = sent;
  expect(properties?.same).toEqual({ $ref: `#/properties/${keysOf(sent)[2]}` });
});

test('arguments get their real names back, at any depth', () => {
  const names = keysOf(sentOf(SCHEMA));
  const real = Object.keys(SCHEMA.properties);
  const told = {
    ...Object.fromEntries(names.slice(0, 7).map((name, at) => [name, at === 0 ? 5 : `v${at}`])),
    filter: [{ _eq: 'x' }, { $eq: 'y' }],
    either: { _id: '1', next: { _id: '2' } },
    labels: { _top: 'a label', $top: 'b' },
  };
  expect(withRealNames(told, SCHEMA)).toEqual({
    ...Object.fromEntries(real.slice(0, 7).map((name, at) => [name, at === 0 ? 5 : `v${at}`])),
    filter: [{ $eq: 'x' }, { $eq: 'y' }],
    either: { '@id': '1', next: { '@id': '2' } },
    labels: { _top: 'a label', $top: 'b' },
  });
});

test('a call reaches its server with the real names and every digit', () => {
  const tool = toolSchema({ name: 'list', description: '', parameters: SCHEMA });
  const config = { alias: 't', providers: ['p'], allowTools: null, maxToolCallTurns: 5, timeoutMs: 1000 };
  const catalog = catalogOf(config, [{ provider: 'p', tools: [tool] }]);
  const spaced = keysOf(sentOf(SCHEMA))[2] ?? '';
  const args = `{"_top": 12345678901234567890, "${spaced}": "x"}`;
  const prepared = prepareCall({ id: '1', type: 'function', function: { name: 'list', arguments: args } }, catalog);
  expect(prepared).toMatchObject({ kind: 'ready' });
  expect('body' in prepared && parseJson(prepared.body)).toEqual({
    name: 'list',
    arguments: { $top: 12345678901234567890n, 'a b': 'x' },
  });
});

function schemaOf(keys: readonly string[]): JsonSchema {
  return { type: 'object', properties: Object.fromEntries(keys.map((key) => [key, { const: key }])) };
}

/** The sent names by the real ones. */
function byReal(schema: JsonSchema): Map<unknown, string> {
  const { properties = {} }: { readonly properties?: Record<string, { readonly const?: unknown }> } = sentOf(schema);
  return new Map(Object.entries(properties).map(([told, part]) => [part.const, told]));
}

test('names do not depend on the order of properties, and do not collide', () => {
  const names = ['$a', '@a', '_a', '#a'];
  const first = byReal(schemaOf(names));
  expect(new Set(first.values()).size).toBe(4);
  expect(first.get('_a')).toBe('_a');
  expect(byReal(schemaOf(names.toReversed()))).toEqual(first);
});

test.each([
  ['an object without properties', { type: 'object' }, { type: 'object', properties: {} }],
  [
    'a reference at the top',
    {
      type: 'object',
      $ref: '#/definitions/A',
      definitions: { A: { type: 'object', properties: { x: { type: 'string' } } } },
    },
    {
      type: 'object',
      properties: { x: { type: 'string' } },
      definitions: { A: { type: 'object', properties: { x: { type: 'string' } } } },
    },
  ],
  [
    'a recursive reference at the top',
    { $ref: '#/$defs/N', $defs: { N: { type: 'object', properties: { n: { $ref: '#/$defs/N' } } } } },
    {
      type: 'object',
      properties: { n: { $ref: '#/$defs/N' } },
      $defs: { N: { type: 'object', properties: { n: { $ref: '#/$defs/N' } } } },
    },
  ],
  [
    'a name that is required twice',
    { type: 'object', properties: { a: {} }, required: ['a', 'a'] },
    { type: 'object', properties: { a: {} }, required: ['a'] },
  ],
  [
    'bounds that are none',
    { type: 'object', properties: { a: { type: 'string', minLength: -1, maxLength: 2.5 }, b: { multipleOf: 0 } } },
    { type: 'object', properties: { a: { type: 'string' }, b: {} } },
  ],
])('model APIs get another form of %s', (_claim, given, sent) => {
  expect(sentOf(given)).toEqual(sent);
});
