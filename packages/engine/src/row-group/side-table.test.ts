import { expect, test } from 'vitest';
import { type ArrowField, type CellValue, Random, type Row } from '@data-designer/core';
import { sideTableRows } from './side-table.ts';

const FIELDS: readonly ArrowField[] = [
  { name: 'length', type: 'int64', nullable: true },
  { name: 'text', type: 'utf8', nullable: false },
];

/** The side table of rows 10, 11, … that each give one of these rows. */
async function tableOf(given: readonly Row[], fields = FIELDS) {
  const at: CellValue[] = given.map((_, position) => position);
  const row = ({ n }: Row): Row => given[n as number] ?? {};
  const maker = { processor: 'own', reads: ['n'], row, random: Random.of(1, 'own') };
  const made = {
    columns: new Map([['n', at]]),
    rows: given.length,
    rowIndexOf: (position: number) => 10 + position,
    floats: new Set<string>(),
  };
  const sideTable = { reads: ['n'], fields };
  const processor = { config: { name: 'own', processorType: 'own' }, stage: 'post_batch', sideTable };
  return sideTableRows(new Map([['own', maker]]), made, processor as unknown as Parameters<typeof sideTableRows>[2]);
}

test('all rows stay where all values fit', async () => {
  const { kept, refused, batch } = await tableOf([{ length: 1, text: 'a' }, { text: 'b' }]);
  expect([kept, refused, batch.columns.get('length')]).toEqual([[0, 1], [], [1, null]]);
});

test.each<[string, Row]>([
  ['a text for a whole number', { length: 'long', text: 'a' }],
  ['a fraction for a whole number', { length: 1.5, text: 'a' }],
  ['a number beyond 64 bits', { length: 2n ** 70n, text: 'a' }],
  ['an object for a whole number', { length: { n: 1 }, text: 'a' }],
  ['a list for a text', { length: 1, text: ['a'] }],
  ['null for a required text', { length: 1, text: null }],
  ['no value for a required text', { length: 1 }],
])('%s costs its row alone, with the reason', async (_, misfit) => {
  const fine = { length: 1, text: 'a' };
  const { kept, refused, batch } = await tableOf([fine, misfit, fine]);
  expect([kept, batch.rows, batch.columns.get('text')]).toEqual([[0, 2], 2, ['a', 'a']]);
  expect(refused).toMatchObject([{ rowIndex: 11, failure: { code: 'processor/lost-row', data: { row: 11 } } }]);
  expect(refused[0]?.failure.message).toMatch(/dataset\/misfit.*column '(length|text)' of its side table: expected/);
});
