import { expect, test } from 'vitest';
import type { ColumnConfig, Surroundings } from '@data-designer/core';
import { checkLists } from './check-lists.ts';

type Lists = Parameters<typeof checkLists>[0]['values'];

/** The dataset around a subcategory column, with a parent that draws from a list. */
function beside(values: readonly unknown[], more: object = {}): Surroundings {
  const params = { samplerType: 'category', values, weights: null };
  return having({ columnType: 'sampler', samplerType: 'category', params, conditionalParams: {}, ...more });
}

function having(parent: object): Surroundings {
  const columns = new Map([['p', { name: 'p', ...parent } as unknown as ColumnConfig]]);
  return { templates: 'secure', constraints: [], columns, has: (name) => columns.has(name) };
}

function check(values: Lists, dataset: Surroundings) {
  return checkLists({ category: 'p', values }, dataset).map(
    (one) => `${one.stage} ${one.field.join('.')}: ${one.message}`,
  );
}

test('a list for each value of the category produces no findings', () => {
  expect(check({ a: ['x'], b: [1, 2.5] }, beside(['a', 'b', 'a']))).toEqual([]);
});

test('reports values without a list and lists without a value', () => {
  expect(check({ a: ['x'], d: ['y'] }, beside(['a', 'b', 'c']))).toEqual([
    'run values: these values of \'p\' have no list: "b", "c".',
    "run values.d: the column 'p' never has the value 'd'.",
  ]);
});

test('values in the conditional params of a category need lists too', () => {
  const conditionalParams = { 'q == 1': { samplerType: 'category', values: ['z'], weights: null } };
  expect(check({ a: ['x'], z: ['y'] }, beside(['a'], { conditionalParams }))).toEqual([]);
  expect(check({ a: ['x'] }, beside(['a'], { conditionalParams }))).toEqual([
    'run values: these values of \'p\' have no list: "z".',
  ]);
});

test('numbers cannot have a list, even if a key has the same text', () => {
  expect(check({ 1: ['x'], a: ['y'] }, beside([1, 'a']))).toEqual([
    "run values: the category values of 'p' must be text, but some are numbers: 1.",
    "run values.1: the column 'p' never has the value '1'.",
  ]);
});

test('shortens a long list of missing values', () => {
  const letters = 'abcdefgh'.split('');
  expect(check({}, beside(letters))[0]).toMatch(/"a", "b", "c", "d", "e" and 3 more\.$/);
});

test('reports empty lists even if the category column is missing', () => {
  const nowhere: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };
  expect(check({ a: [], b: ['x'] }, nowhere)).toEqual(['run values.a: the list is empty.']);
});

test('leaves a missing category column to the reference check', () => {
  const nowhere: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };
  expect(check({ a: ['x'] }, nowhere)).toEqual([]);
});

test.each([
  ['another sampler', { columnType: 'sampler', samplerType: 'uuid', params: {}, conditionalParams: {} }],
  ['a column that is not sampled', { columnType: 'expression', expr: 'a' }],
])('%s is refused as the category on load', (_, parent) => {
  expect(checkLists({ category: 'p', values: { a: ['x'] } }, having(parent))).toEqual([
    {
      stage: 'load',
      type: 'sub_parent_not_category',
      level: 'ERROR',
      field: ['category'],
      message: "the column 'p' does not use the category sampler.",
      remedy: 'Use a column with the category sampler.',
    },
  ]);
});

test('ignores a category with the params of another sampler', () => {
  const dataset = beside([], { params: { samplerType: 'uuid', prefix: null } });
  expect(check({ a: ['x'] }, dataset)).toEqual([]);
});
