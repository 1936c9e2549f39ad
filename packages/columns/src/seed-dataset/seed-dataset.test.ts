import { readForm } from '@data-designer/config';
import { expect, test } from 'vitest';
import { seedDataset } from './seed-dataset.ts';

const { schema } = seedDataset;

function parse(more: object = {}) {
  return schema.safeParse(readForm(schema, { name: 'years', column_type: 'seed-dataset', ...more }));
}

test('has no fields of its own, reads nothing and spends nothing', () => {
  const { data } = parse({ drop: 'yes' });
  expect(data).toEqual({ name: 'years', columnType: 'seed-dataset', drop: true, skip: null, propagateSkip: true });
  expect([seedDataset.reads, seedDataset.templates, seedDataset.spends]).toEqual([undefined, undefined, undefined]);
  expect(data && seedDataset.writes(data)).toMatchObject([{ name: 'years' }]);
});

test('is there in every row, so that a skip rule does not load', () => {
  expect(parse({ skip: { when: '{{ a }}' } }).error?.issues).toMatchObject([{ path: ['skip'] }]);
});

test('is declared, but not made yet', () => {
  expect(seedDataset).toMatchObject({ unmade: true });
});
