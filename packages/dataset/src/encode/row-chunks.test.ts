import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ArrowField, Batch, Row } from '@data-designer/core';
import { writeDataFile } from '../../test/data-files.ts';
import { batchOf, chunksOf, partsOf } from './row-chunks.ts';

const FIELDS: readonly ArrowField[] = [
  { name: 'text', type: 'utf8', nullable: true },
  { name: 'chat', type: { list: { struct: [{ name: 'content', type: 'utf8', nullable: true }] } }, nullable: true },
];

const rowsOf = (batches: readonly Batch[]) => batches.map(({ rows }) => rows);
const values = ({ columns }: Batch) => Object.fromEntries(Array.from(columns, ([name, one]) => [name, [...one]]));

test('a batch ends at its bytes, those of nested texts too, and its parts hold all rows in order', () => {
  const rows: Row[] = Array.from({ length: 5 }, (_, row) => ({
    text: row === 1 ? null : 'x'.repeat(100),
    chat: [{ content: 'y'.repeat(200) }],
  }));
  const batch: Batch = { ...batchOf(rows, FIELDS) };
  const numbers = Float64Array.from({ length: 5 }, (_, row) => row);
  const wide = { ...batch, columns: new Map([...batch.columns, ['n', numbers]]) };
  const parts = [...partsOf(wide, 550)];
  expect(rowsOf(parts)).toEqual([2, 2, 1]);
  expect(parts.map(({ firstRow }) => firstRow)).toEqual([0, 2, 4]);
  expect(parts.flatMap(({ columns }) => [...(columns.get('n') ?? [])])).toEqual([...numbers]);
  expect(parts.flatMap((part) => values(part)['chat'])).toEqual(rows.map(({ chat }) => chat));
  expect([...partsOf(wide, 1e6)]).toEqual([wide]);
  expect([...partsOf({ ...batch, columns: new Map(), rows: 0 })]).toHaveLength(1);
  // A part that ends with the last row leaves no empty one.
  expect(rowsOf([...partsOf(batch, 200)])).toEqual([1, 1, 1, 1, 1]);
});

async function* records(): AsyncGenerator<Row> {
  for (let row = 0; row < 5; row++) yield { text: 'x'.repeat(row < 2 ? 1000 : 1), chat: null };
}

test('rows that are read one by one make batches of some rows or some bytes, whichever comes first', async () => {
  const sized = async (rows: number, bytes: number) =>
    rowsOf(await Array.fromAsync(chunksOf(records(), FIELDS, { rows, bytes })));
  expect(await sized(2, 1e6)).toEqual([2, 2, 1]);
  expect(await sized(10, 900)).toEqual([1, 1, 3]);
  expect(rowsOf(await Array.fromAsync(chunksOf(records(), FIELDS)))).toEqual([5]);
});

test('a value that does not fit is named by its row in the batch, also in a later part', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'row-chunks-'));
  const rows: Row[] = [1, 2, 3].map(() => ({ text: 'x'.repeat(3_000_000), chat: null }));
  const batch = batchOf([...rows, { text: 7, chat: null }], FIELDS);
  for (const format of ['parquet', 'arrow'])
    await expect(writeDataFile(join(folder, `batch_00000.${format}`), batch)).rejects.toThrow("Column 'text', row 3:");
  rmSync(folder, { recursive: true });
});
