import { type AsyncBuffer, parquetMetadata, parquetScan, parquetSchema } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { type ArrowField, type CellValue, field, Float } from '@data-designer/core';
import { parquetSchema as schemaOf } from '../../../dataset/src/formats/parquet/parquet-schema.ts';
import { parquetColumn } from '../../../dataset/src/formats/parquet/parquet-column.ts';
import { columnDecoder } from './decode-column.ts';
import { storedFields } from './stored-fields.ts';

/** A column written and read back. */
async function decoded(wanted: ArrowField, values: readonly unknown[]) {
  const [stored] = storedFields([wanted]) as [ArrowField];
  const column = parquetColumn(stored, { name: stored.name, values, rowOf: (slot) => slot });
  const bytes = parquetWriteBuffer({ schema: schemaOf([stored]), columnData: [column] });
  const file: AsyncBuffer = { byteLength: bytes.byteLength, slice: (start, end) => bytes.slice(start, end) };
  const metadata = parquetMetadata(bytes);
  const [tree] = parquetSchema(metadata).children;
  if (!tree) throw new Error('It has no column.');
  const scan = await parquetScan({ file, metadata });
  const range = { rowStart: 0, rowEnd: values.length };
  return columnDecoder(wanted, tree)(await scan.readColumn({ column: stored.name, ...range }));
}

test.each<[string, readonly unknown[], unknown]>([
  ['small ones in 32 bits', [1, -2147483648, 2147483647], Int32Array.of(1, -2147483648, 2147483647)],
  ['larger safe ones as floats', [1, 2 ** 40], Float64Array.of(1, 2 ** 40)],
  ['unsafe ones as cells', [1, 2n ** 60n], [1, 2n ** 60n]],
  ['those with nulls as cells', [1, null, 2n ** 60n], [1, null, 2n ** 60n]],
])('integers: %s', async (_, values, expected) => {
  expect(await decoded(field('a', 'int64'), values)).toEqual(expected);
});

test('decodes floats to a typed array unless one is null', async () => {
  expect(await decoded(field('a', 'float64'), [1, -0, NaN, Infinity])).toEqual(Float64Array.of(1, -0, NaN, Infinity));
  expect(await decoded(field('a', 'float64'), [1, null])).toEqual([1, null]);
});

test('decodes booleans and texts to cells', async () => {
  expect(await decoded(field('a', 'bool'), [true, null, false])).toEqual([true, null, false]);
  expect(await decoded(field('a', 'utf8'), ['', null, 'ä'])).toEqual(['', null, 'ä']);
});

test('parses JSON text exactly and keeps other text', async () => {
  const json = field('a', 'utf8', { json: true });
  expect(await decoded(json, [{ b: [new Float(1), 2n ** 60n] }, 'x', null])).toEqual([
    { b: [new Float(1), 2n ** 60n] },
    'x',
    null,
  ]);
  const tree = { element: { name: 'a' }, children: [], count: 1, path: ['a'] };
  expect(columnDecoder(json, tree)(['{"k":NaN}'])).toEqual(['{"k":NaN}']);
});

test('restores the names of struct members', async () => {
  const wanted = field('s', {
    struct: [
      field('A', 'int64'),
      field('a', { list: 'float64' }),
      field('__proto__', 'utf8'),
      field('j', 'utf8', { json: true }),
    ],
  });
  const value = JSON.parse('{"A":1,"a_1":[2,2.5,null],"___proto__":"p","j":{"k":1}}') as CellValue;
  const [row, empty] = (await decoded(wanted, [value, null])) as readonly Record<string, unknown>[];
  expect(Object.entries(row ?? {})).toEqual([
    ['A', 1],
    ['a', [new Float(2), 2.5, null]],
    ['__proto__', 'p'],
    ['j', { k: 1 }],
  ]);
  expect(empty).toBeNull();
});
