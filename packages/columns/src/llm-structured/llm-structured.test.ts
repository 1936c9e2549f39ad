import { expect, test } from 'vitest';
import { type CellValue, field, parseJson, type Surroundings } from '@data-designer/core';
import { readForm } from '@data-designer/config';
import { llmStructured, structuredRecipe } from './llm-structured.ts';

const outputFormat = { type: 'object', properties: { snake_case: { type: 'integer' } }, required: ['snake_case'] };

function column(format: Record<string, unknown> | string, more: object = {}) {
  const fields = { name: 'card', columnType: 'llm-structured', prompt: 'Go.', modelAlias: 'm', outputFormat: format };
  return llmStructured.schema.parse({ ...fields, ...more });
}

test('the instructions show the schema on one line, between tags', () => {
  const { instructions = '' } = structuredRecipe(outputFormat);
  const [, shown = ''] = /^<response_schema>\n(.*)\n<\/response_schema>$/m.exec(instructions) ?? [];
  expect(parseJson(shown)).toEqual(outputFormat);
});

test('an answer is parsed, pruned and validated against the schema', () => {
  const { parse } = structuredRecipe(outputFormat);
  expect(parse('```json\n{"snake_case": 1, "more": 2}\n```')).toEqual({ snake_case: 1 });
  expect(() => parse('```json\n{"snake_case": "1"}\n```')).toThrow(/'snake_case' must be of type integer/);
});

function withoutX(data: CellValue): CellValue {
  const { x: _, ...others } = data as { readonly x: CellValue };
  return others;
}

test.each([
  '{"snake_case": 1, "x": null}',
  '<think>It is {"snake_case": 2}.</think>\n{"snake_case": 1, "x": null}',
  'Here:\n```json\n{"snake_case": 1, "x": null}\n```',
  "{'snake_case': 1, 'x': None}",
])('properties that only the endpoint needs are removed before validation: %s', (answer) => {
  const withText = { ...outputFormat, properties: { ...outputFormat.properties, x: { type: 'string' } } };
  expect(structuredRecipe(withText).parse(answer, withoutX)).toEqual({ snake_case: 1 });
  expect(() => structuredRecipe(withText).parse(answer)).toThrow(/'x' must be of type string/);
});

test('stores a struct if the schema allows it, JSON otherwise', () => {
  expect(llmStructured.writes(column(outputFormat))).toEqual([
    field('card', { struct: [field('snake_case', 'int64')] }),
  ]);
  expect(llmStructured.writes(column({ type: 'object' }))).toEqual([field('card', 'utf8', { json: true })]);
});

test('the recipe offers a usable schema, as declared, to endpoints that enforce one', () => {
  expect(structuredRecipe(outputFormat).shape).toBe(outputFormat);
  expect(structuredRecipe({ type: 'strng' }).shape).toBeUndefined();
});

test.each([
  ['no tools', column(outputFormat), true],
  ['tools', column(outputFormat, { toolAlias: 't' }), false],
  ['a schema that cannot be used', column({ type: 'strng' }), undefined],
])('probes whether its endpoint enforces a schema, with %s: %s', (_, config, shaped) => {
  expect(llmStructured.requires?.(config).shaped).toBe(shaped);
});

test('the trace follows the column', () => {
  const written = llmStructured.writes(column(outputFormat, { withTrace: true }));
  expect(written.map(({ name }) => name)).toEqual(['card', 'card__trace']);
});

test('a schema that does not compile accepts every answer and stores JSON', () => {
  const broken = { type: 'object', properties: { a: { type: 'integr' } } };
  expect(structuredRecipe(broken).parse('{"a": 1, "b": 2}')).toEqual({ a: 1, b: 2 });
  expect(llmStructured.writes(column(broken))).toEqual([field('card', 'utf8', { json: true })]);
});

test.each([
  ['the type of a member', { type: 'object', properties: { a: { type: 'integr' } } }],
  ['a reference', { $ref: '#/$defs/none' }],
])('a schema with a mistake in %s loads, and the check warns', (_, broken) => {
  const nothing: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };
  const check = (format: Record<string, unknown>) => llmStructured.check?.(column(format), nothing);
  expect(check(outputFormat)).toEqual([]);
  expect(check(broken)).toMatchObject([
    { stage: 'run', type: 'unusable_schema', level: 'WARNING', field: ['outputFormat'] },
  ]);
});

test('a schema that no answer can match is an error, and an optional part that no value can match a warning', () => {
  const nothing: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };
  const never = { type: 'integer', minimum: 5, maximum: 1 };
  const check = (more: object) => {
    const format = { type: 'object', properties: { n: { type: 'string' }, x: never }, ...more };
    const found = llmStructured.check?.(column(format), nothing) ?? [];
    return found.map(({ level, field: path, message }) => `${level} ${path.join('.')}: ${message}`);
  };
  const where = 'outputFormat.properties.x.minimum';
  const why = "'minimum' is 5, and 'maximum' is 1.";
  expect(check({ required: ['x'] })).toEqual([`ERROR ${where}: no answer can match the schema: ${why}`]);
  expect(check({ required: ['n'] })).toEqual([`WARNING ${where}: no value can match this part of the schema: ${why}`]);
});

test('an output format that is neither a mapping nor text does not load', () => {
  const fields = { name: 'card', columnType: 'llm-structured', prompt: 'Go.', modelAlias: 'm' };
  const { error } = llmStructured.schema.safeParse({ ...fields, outputFormat: ['Card'] });
  expect(error?.issues.map(({ path }) => path)).toEqual([['outputFormat']]);
});

test('loading keeps the keys of an output format as written', () => {
  const { schema } = llmStructured;
  const document = {
    name: 'card',
    column_type: 'llm-structured',
    prompt: 'Go.',
    model_alias: 'm',
    output_format: outputFormat,
  };
  expect(schema.parse(readForm(schema, document)).outputFormat).toEqual(outputFormat);
});

test('a template of schemas is read as a template, and its answers are JSON text', () => {
  const config = column('{{ schema }}');
  expect(llmStructured.templates?.(config)).toContainEqual({
    source: '{{ schema }}',
    field: ['outputFormat'],
    role: 'value',
  });
  // The prompt may refer to no column, because the schema in it differs between rows.
  expect(llmStructured.templates?.(config)[0]).toMatchObject({ role: 'prompt', mayBeSame: true });
  expect(llmStructured.templates?.(column(outputFormat))).toMatchObject([{ mayBeSame: false }]);
  expect(llmStructured.writes(config)).toEqual([field('card', 'utf8', { json: true })]);
  expect(llmStructured.requires?.(config).shaped).toBe(true);
  expect(llmStructured.requires?.(column('{{ schema }}', { toolAlias: 't' })).shaped).toBe(false);
});

test('a text that is no template is found on loading', () => {
  const nothing: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };
  expect(llmStructured.check?.(column('{{ schema }}'), nothing)).toEqual([]);
  expect(llmStructured.check?.(column('schema'), nothing)).toMatchObject([
    {
      stage: 'load',
      level: 'ERROR',
      field: ['outputFormat'],
      remedy: expect.stringContaining('{{ schema }}') as string,
    },
  ]);
});
