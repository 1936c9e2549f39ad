import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import { readForm } from '@data-designer/config';
import { field, type Row, type Surroundings } from '@data-designer/core';
import { custom } from './custom.ts';
import type { GeneratorFunction } from './generator-function.ts';

const { schema } = custom;

const shout = Object.assign((row: Row) => ({ loud: [row['text'], '!'] }), {
  requiredColumns: ['text', 'mood'],
  sideEffectColumns: ['length'],
  modelAliases: ['writer'],
});

function parse(generator_function: unknown, more: object = {}) {
  return schema.safeParse(readForm(schema, { name: 'loud', column_type: 'custom', generator_function, ...more }));
}

function column(more: object = {}) {
  const parsed = parse(shout, more);
  if (!parsed.success) throw parsed.error;
  return parsed.data;
}

test('the function declares what the column reads, writes and requires', () => {
  const at = ['generatorFunction'];
  expect(custom.reads?.(column())).toEqual([
    { name: 'text', field: at },
    { name: 'mood', field: at },
  ]);
  expect(custom.writes(column())).toEqual([
    { name: 'loud', type: 'utf8', nullable: true, json: true },
    { name: 'length', type: 'utf8', nullable: true, json: true },
  ]);
  expect(custom.requires?.(column())).toEqual({ models: ['writer'], tools: [], recordsOutcomes: true });
});

const formats = { loud: { type: 'array', items: { type: 'string' } }, length: { type: 'integer' } };

function typed(outputFormats: object, more: object = {}) {
  const parsed = parse(
    Object.assign(() => ({}), shout, { outputFormats }),
    more,
  );
  if (!parsed.success) throw parsed.error;
  return parsed.data;
}

test('the output formats of the function set the column types', () => {
  expect(custom.writes(typed(formats))).toEqual([field('loud', { list: 'utf8' }), field('length', 'int64')]);
  expect(custom.writes(typed({ length: { type: 'object' } }))[1]).toEqual(field('length', 'utf8', { json: true }));
});

const around: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };

test.each([
  ['of a column that it does not write', { quiet: { type: 'string' } }, {}, 'unknown_column', ['generatorFunction']],
  ['that is no JSON Schema', { loud: { type: 'strng' } }, {}, 'unusable_schema', ['generatorFunction']],
  [
    'that the value of skipped cells does not match',
    { loud: { type: 'integer' } },
    { skip: { when: '{{ mood }}', value: 'none' } },
    'skip_value_misfit',
    ['skip', 'value'],
  ],
])('the check reports a format %s', (...told) => {
  const [, outputFormats, more, type, at] = told;
  expect(custom.check?.(typed(outputFormats, more), around)).toMatchObject([{ level: 'ERROR', type, field: at }]);
  expect(custom.check?.(typed(formats), around)).toEqual([]);
});

test('defaults to cell_by_cell without params, and keeps given params unchanged', () => {
  expect(column()).toMatchObject({ generationStrategy: 'cell_by_cell', generatorParams: null });
  const generator_params = { snake_case: 1, nested: { camelCase: [2] } };
  expect(column({ generation_strategy: 'full_column', generator_params })).toMatchObject({
    generationStrategy: 'full_column',
    generatorParams: generator_params,
  });
});

test('parsing keeps the function itself', () => {
  expect(column().generatorFunction).toBe(shout);
  expectTypeOf<z.output<typeof schema>['generatorFunction']>().toEqualTypeOf<GeneratorFunction>();
  expectTypeOf(shout).toExtend<GeneratorFunction>();
});

test.each([
  ['a name', 'my_fn', /only a TypeScript or JavaScript program can provide one/],
  ['nothing', undefined, /only a TypeScript or JavaScript program can provide one/],
  ['a function that says nothing', () => ({}), /property requiredColumns/],
  ['formats that are names', Object.assign(() => ({}), shout, { outputFormats: { loud: 'int' } }), /JSON Schemas/],
  ['lists that are not of names', Object.assign(() => ({}), shout, { modelAliases: [1] }), /property modelAliases/],
])('refuses %s in place of a function that declares its needs', (_, given, reason) => {
  const { error } = parse(given);
  expect(error?.issues).toMatchObject([{ path: ['generatorFunction'] }]);
  expect(error?.issues[0]?.message).toMatch(reason);
});

test.each([
  ['generation_strategy', 'by_row', ['generationStrategy']],
  ['generator_params', [1], ['generatorParams']],
])('%s cannot be %j', (key, value, path) => {
  expect(parse(shout, { [key]: value }).error?.issues).toMatchObject([{ path }]);
});
