import { expect, test } from 'vitest';
import { type Cell, type CellValue, isFailure, ParseFailure, parseJson, Random, type Row } from '@data-designer/core';
import { rowRecipes } from './row-recipes.ts';

const random = Random.of(1, 'row-recipes');

function recipeOf(row: Row, template = '{{ schema }}') {
  return rowRecipes(template, 'card', 'secure')({ row, random } as unknown as Cell);
}

/** The reason why a row has no recipe. */
function reasonOf(schema: CellValue): string {
  try {
    recipeOf({ schema });
  } catch (thrown) {
    if (isFailure(thrown, 'column/bad-schema')) return thrown.data.reason;
    throw thrown;
  }
  return 'none';
}

const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const text = JSON.stringify(CITY);

test.each<[string, Row, string]>([
  ['JSON text', { schema: text }, '{{ schema }}'],
  ['indented JSON text', { schema: JSON.stringify(CITY, undefined, 2) }, '{{ schema }}'],
  ['an object', { schema: CITY }, '{{ schema }}'],
  ['a part of an object', { task: { schemas: [CITY] } }, '{{ task.schemas[0] }}'],
  ['a part of JSON text', { task: JSON.stringify({ schema: CITY }) }, '{{ task.schema }}'],
  ['the text of a template', { schema: text, easy: true }, '{% if easy %}{{ schema }}{% else %}{}{% endif %}'],
  ['a schema with a template inside', { what: 'city' }, text.replaceAll('city', '{{ what }}')],
  ['a table whose other rows have more members', { schema: { ...CITY, items: null, default: null } }, '{{ schema }}'],
])('the schema of a row comes from %s', (_, row, template) => {
  const { shape, parse, instructions } = recipeOf(row, template);
  expect(shape).toEqual(CITY);
  const [, shown = ''] = /^<response_schema>\n(.*)\n<\/response_schema>$/m.exec(instructions ?? '') ?? [];
  expect(parseJson(shown)).toEqual(CITY);
  expect(parse('{"city": "Bern", "more": 1}')).toEqual({ city: 'Bern' });
  expect(() => parse('{"city": 3}')).toThrow(ParseFailure);
  expect(() => parse('{"city": 3}')).toThrow(/'city' must be of type string/);
});

test('each row is held to its own schema', () => {
  const number = recipeOf({ schema: { type: 'object', properties: { city: { type: 'integer' } } } });
  const list = recipeOf({ schema: { type: 'array', items: { type: 'integer' }, maxItems: 2 } });
  expect(recipeOf({ schema: CITY }).parse('{"city": "Bern"}')).toEqual({ city: 'Bern' });
  expect(number.parse('{"city": 4}')).toEqual({ city: 4 });
  expect(() => number.parse('{"city": "Bern"}')).toThrow(/must be of type integer/);
  expect(list.parse('[1, 2]')).toEqual([1, 2]);
  expect(() => list.parse('[1, 2, 3]')).toThrow(ParseFailure);
});

const deep = (levels: number): CellValue => (levels === 0 ? {} : { items: deep(levels - 1) });
const long = (length: number) => ({ description: 'x'.repeat(length) });

/** Definitions of which each refers to the next one twice, so that the last one applies 2 ** levels times. */
const doubling = (levels: number): CellValue => ({
  $ref: '#/$defs/0',
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, at) => [
      at,
      { allOf: [{ $ref: `#/$defs/${at + 1}` }, { $ref: `#/$defs/${at + 1}` }] },
    ]).concat([[levels, { type: 'string' } as never]]),
  ),
});

test.each<[string, CellValue, RegExp | string]>([
  ['null', null, 'it is null, not an object'],
  ['a list', [CITY], 'it is a list, not an object'],
  ['a boolean schema', 'true', 'it is true, not an object'],
  ['text of another kind', 'a city', /^its text is not JSON: /],
  ['JSON text of a number', '3', 'it is a number, not an object'],
  ['JSON text in JSON text', JSON.stringify(text), 'it is text, not an object'],
  ['an invalid type', { type: 'strng' }, /^it is not a valid JSON Schema: \/type must be/],
  ['a reference to nothing', { $ref: '#/$defs/none' }, 'it is not a valid JSON Schema: it does not compile'],
  ['a pattern that is none', { type: 'string', pattern: '(' }, 'it is not a valid JSON Schema: it does not compile'],
  [
    'a remote reference',
    { items: { $ref: 'https://acme.example/a.json' } },
    /'\$ref' names 'https:\/\/acme.*only references within/,
  ],
  ['a file', { items: { $ref: 'file:///etc/passwd' } }, /'\$ref' names 'file:\/\/\/etc\/passwd'/],
  ['a remote dynamic reference', { $dynamicRef: 'other.json#meta' }, /'\$dynamicRef' names 'other\.json#meta'/],
  ['too long text', JSON.stringify(long(33_000)), 'it has 33,018 characters, more than 32,768'],
  ['a too long object', long(33_000), 'it has 33,018 characters, more than 32,768'],
  ['5 MB of text', 'x'.repeat(5_000_000), 'it has 5,000,000 characters, more than 32,768'],
  ['too many levels', deep(101), 'it has more than 100 levels'],
  ['text of too many levels', `${'{"items":'.repeat(3000)}{}${'}'.repeat(3000)}`, 'it has more than 100 levels'],
  ['a reference to itself', { $ref: '#' }, 'a reference in it leads back to itself for the same value'],
  ['references that multiply', doubling(40), 'its references apply more than 10000 parts to one value'],
  ['a null constant of a table', { const: null }, /^the null of '\/const' may be a missing member/],
])('%s is no schema', (_, schema, reason) => {
  expect(reasonOf(schema)).toMatch(reason);
});

test.each<[string, CellValue]>([
  ['an unknown dialect', { $schema: 'https://acme.example/schema' }],
  ['recursion', { type: 'object', properties: { v: { type: 'integer' }, next: { $ref: '#' } } }],
  ['100 levels', deep(99)],
  ['the longest one', long(32_750)],
  ['a reference to its own address', { $id: 'urn:a', $ref: 'urn:a#/$defs/a', $defs: { a: { type: 'string' } } }],
  ['a remote reference in data', { enum: [{ $ref: 'https://acme.example/a.json' }] }],
  ['a null constant as text', '{"const": null}'],
  ['a few references', doubling(5)],
])('%s is a schema', (_, schema) => {
  expect(reasonOf(schema)).toBe('none');
});

test('a pattern that backtracks without end costs a second', () => {
  const { parse } = recipeOf({ schema: { type: 'string', pattern: '^(?=(a+)+$)(a|a)*b\\1$' } });
  expect(() => parse(`"${'a'.repeat(40)}!"`)).toThrow(expect.objectContaining({ code: 'answer/pattern-timed-out' }));
});

test('an answer whose check multiplies costs the time limit', { tags: 'long', timeout: 30_000 }, () => {
  const twice = { allOf: [{ properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' } } }] };
  const { parse } = recipeOf({ schema: { ...twice, type: 'object' } });
  const answer = `${'{"a":'.repeat(45)}{}${'}'.repeat(45)}`;
  expect(() => parse(answer)).toThrow(
    expect.objectContaining({ code: 'answer/schema-timed-out', data: { column: 'card', limitMs: 5000 } }),
  );
});

test('a schema that is no longer kept is compiled again', { tags: 'long' }, () => {
  const first = recipeOf({ schema: CITY });
  for (let at = 0; at < 300; at++) recipeOf({ schema: { type: 'integer', maximum: at } });
  expect(first.parse('{"city": "Bern"}')).toEqual({ city: 'Bern' });
  expect(() => first.parse('{"city": 3}')).toThrow(/'city' must be of type string/);
});

function shapeOf(schema: CellValue) {
  return recipeOf({ schema }).shape;
}

test('the last schemas are kept, and long ones push others out', () => {
  const [one, two] = [{ title: 'one' }, { title: 'two' }];
  const first = shapeOf(one);
  expect(shapeOf(one)).toBe(first);
  for (let at = 0; at < 20; at++) recipeOf({ schema: { ...long(30_000), maximum: at } });
  const again = shapeOf(one);
  expect(again).not.toBe(first);
  shapeOf(two);
  expect(shapeOf(one)).toBe(again);
});
