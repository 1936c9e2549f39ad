import { expect, test } from 'vitest';
import { ColumnRegistry, parseDataset } from '@data-designer/config';
import { columnTypes } from './index.ts';

const registry = new ColumnRegistry(columnTypes);

/** The listed values of the first of some columns. */
function listedIn(...columns: readonly object[]) {
  const { config, violations } = parseDataset({ columns }, registry);
  expect(violations).toEqual([]);
  const [column] = config.columns;
  return column && registry.get(column.columnType)?.listed?.(column);
}

test('the options of each score of a judge are listed where the cell has them', () => {
  const scores = [
    { name: 'tone', description: 'd', options: { '1': 'bad', '2': 'good' } },
    {
      name: 'depth',
      description: 'd',
      options: [
        [0, 'shallow'],
        [10, 'deep'],
      ],
    },
  ];
  expect(listedIn({ name: 'q', column_type: 'llm-judge', model_alias: 'm', prompt: 'p', scores })).toEqual([
    { path: ['tone', 'score'], values: ['1', '2'] },
    { path: ['depth', 'score'], values: [0, 10] },
  ]);
});

const category = (params: object, more: object = {}) => ({
  name: 'a',
  column_type: 'sampler',
  sampler_type: 'category',
  params,
  ...more,
});

test('the values of a category are listed as they are drawn, and only where nothing changes them', () => {
  expect(listedIn(category({ values: ['a', 1] }))).toEqual([{ path: [], values: ['a', '1'] }]);
  expect(listedIn(category({ values: ['a', 'b'], weights: [1, 0] }))).toEqual([{ path: [], values: ['a'] }]);
  expect(listedIn(category({ values: [1.6, 2.2] }, { convert_to: 'int' }))).toEqual([]);
  const conditional = { "b == 'x'": { sampler_type: 'category', values: ['c'] } };
  const other = { ...category({ values: ['x', 'y'] }), name: 'b' };
  expect(listedIn(category({ values: ['a'] }, { conditional_params: conditional }), other)).toEqual([]);
  expect(listedIn({ name: 'a', column_type: 'sampler', sampler_type: 'uuid', params: {} })).toEqual([]);
});
