import { expect, test } from 'vitest';
import { readForm } from '@data-designer/config';
import { type ColumnData, Random, SEED_TABLE } from '@data-designer/core';
import { seedDataset } from './seed-dataset.ts';

const { schema } = seedDataset;

function parse(more: object = {}) {
  return schema.safeParse(readForm(schema, { name: 'years', column_type: 'seed-dataset', ...more }));
}

function filled(columns: Readonly<Record<string, ColumnData>>) {
  if (!('fill' in seedDataset)) throw new Error('It is not filled.');
  const fill = seedDataset.fill(parse().data as never, { templates: 'secure', constraints: [] });
  const tables = new Map([[SEED_TABLE, new Map(Object.entries(columns))]]);
  const none = { written: new Map(), floats: new Set<string>(), times: new Map() };
  return fill({ firstRow: 4, rows: 2 }, new Random(1, 2), { ...none, tables });
}

test('has no fields of its own, reads nothing and requires nothing', () => {
  const { data } = parse({ drop: 'yes' });
  expect(data).toEqual({ name: 'years', columnType: 'seed-dataset', drop: true, skip: null, propagateSkip: true });
  expect([seedDataset.reads, seedDataset.templates, seedDataset.requires]).toEqual([undefined, undefined, undefined]);
  expect(data && seedDataset.writes(data)).toMatchObject([{ name: 'years' }]);
});

test('does not load with a skip rule', () => {
  expect(parse({ skip: { when: '{{ a }}' } }).error?.issues).toMatchObject([{ path: ['skip'] }]);
});

test('takes its values unchanged from the seed rows of the range', () => {
  const years = Int32Array.of(3, 4);
  expect(filled({ years, others: ['a', 'b'] }).written).toEqual([years]);
});

test('without seed rows, the check reports the column and filling it throws', () => {
  const surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => true } as const;
  expect(seedDataset.check?.(parse().data as never, surroundings)).toMatchObject([{ type: 'seed_missing' }]);
  expect(() => filled({ others: ['a', 'b'] })).toThrow("no seed rows with a column 'years'");
});
