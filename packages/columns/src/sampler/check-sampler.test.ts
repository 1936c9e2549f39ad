import { checkDataset, ColumnRegistry, parseDataset } from '@data-designer/config';
import { expect, test } from 'vitest';
import { sampler } from './sampler.ts';

const registry = new ColumnRegistry([sampler]);

interface Declared {
  readonly name: string;
  readonly sampler_type: string;
  readonly params: Record<string, unknown>;
  readonly conditional_params?: Record<string, Record<string, unknown>>;
  readonly convert_to?: string;
}

/** What is found in sampler columns: stage, type and place. */
function check(...columns: readonly Declared[]): string[] {
  const document = { columns: columns.map((column) => ({ column_type: 'sampler', ...column })) };
  const found = checkDataset(parseDataset(document, registry), { registry });
  return found.map(({ stage, type, path }) => `${stage} ${type} ${path}`);
}

const kind = { name: 'k', sampler_type: 'category', params: { values: ['a', 'b'] } };
const lists = { category: 'k', values: { a: ['x'], b: ['y'] } };

test('plain categories and subcategories can be drawn', () => {
  expect(check(kind, { name: 's', sampler_type: 'subcategory', params: lists })).toEqual([]);
});

test.each<[string, Record<string, unknown>]>([
  ['uuid', {}],
  ['uniform', { low: 0, high: 1 }],
  ['person', {}],
])('%s is declared, and cannot be drawn by this version', (sampler_type, params) => {
  expect(check({ name: 'a', sampler_type, params })).toEqual(['run not_available columns[0].sampler_type']);
});

test('each feature that is not there yet is told once a column', () => {
  const conditional_params = { "k == 'a'": { values: ['c'] }, "k == 'b'": { values: ['d'] } };
  const more = { name: 'm', sampler_type: 'category', params: { values: ['e'] }, conditional_params };
  expect(check(kind, more)).toEqual(['run not_available columns[1].conditional_params']);
  expect(check(kind, { ...more, convert_to: 'str' })).toEqual([
    'run not_available columns[1].conditional_params',
    'run not_available columns[1].convert_to',
  ]);
});

test('a conversion without effect is none', () => {
  const found = check({ name: 'a', sampler_type: 'uuid', params: {}, convert_to: 'int' });
  expect(found).toEqual(['run not_available columns[0].sampler_type']);
});

test('parameters of another sampler load and are found, under conditions too', () => {
  const params = { sampler_type: 'uniform', low: 1, high: 0 };
  const found = check(kind, { name: 'a', sampler_type: 'uuid', params, conditional_params: { "k == 'a'": params } });
  expect(found).toEqual([
    'run sampler_type_mismatch columns[1].params.sampler_type',
    'run invalid_params columns[1].params.low',
    `run sampler_type_mismatch columns[1].conditional_params["k == 'a'"].sampler_type`,
    `run invalid_params columns[1].conditional_params["k == 'a'"].low`,
    'run not_available columns[1].sampler_type',
    'run not_available columns[1].conditional_params',
  ]);
});

test('what a sampler finds stands in its parameters', () => {
  const found = check(kind, { name: 's', sampler_type: 'subcategory', params: { ...lists, values: { a: ['x'] } } });
  expect(found).toEqual(['run missing_list columns[1].params.values']);
});

test('a category that is not there is no mistake of loading; one that is no category is', () => {
  const sub = { name: 's', sampler_type: 'subcategory', params: { ...lists, category: 'tag' } };
  expect(check(sub)).toEqual(['run unknown_column columns[0].params.category']);
  expect(check({ name: 'tag', sampler_type: 'uuid', params: {} }, sub)).toEqual([
    'run not_available columns[0].sampler_type',
    'load sub_parent_not_category columns[1].params.category',
  ]);
});

test.each([
  ['ghost == 1', 'unknown_column'],
  ['fee > 1', 'self_reference'],
  ["k | join == 'a'", 'template/unsupported-filter'],
])('the condition %s is found only before a run', (condition, type) => {
  const params = { low: 1, high: 2 };
  const found = check(kind, {
    name: 'fee',
    sampler_type: 'uniform',
    params,
    conditional_params: { [condition]: params },
  });
  expect(found).toContain(`run ${type} columns[1].conditional_params[${JSON.stringify(condition)}]`);
});

test.each([
  ['uniform', { low: 0, high: 1 }, 'bogus'],
  ['datetime', { start: '2024', end: '2025' }, '%H'],
])('%s with %j turned into %s is found only before a run', (sampler_type, params, convert_to) => {
  expect(check({ name: 'a', sampler_type, params, convert_to })).toContain(
    'run invalid_convert_to columns[0].convert_to',
  );
});

test('an unknown sampler is told at its name, and what it would hold is not', () => {
  const params = { mean: 0, std: 1 };
  expect(check({ name: 'a', sampler_type: 'normal', params })).toEqual(['load invalid_value columns[0].sampler_type']);
});
