import { type Field, type Struct, Table, tableFromIPC, tableToIPC, type Vector } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { type ArrowField, type CellValue, type ColumnData, field, Float, TRACE_MESSAGE } from '@data-designer/core';
import { fileBytes } from '../../test/data-files.ts';
import { BATCH_FORMATS } from '../formats/formats.ts';
import { encodeBatch } from './encode-batch.ts';

const POINT = { struct: [field('x', 'int64'), field('label', 'utf8', { nullable: false })] } as const;
const object = { a: 1 };

/** Field, values, and the message of the error. */
const MISFITS: readonly (readonly [ArrowField, readonly CellValue[], string])[] = [
  [field('t', 'utf8'), ['a', null, 5], "Column 't', row 2: expected utf8, found the integer 5."],
  [field('t', 'utf8'), ['a', object], "Column 't', row 1: expected utf8, found an object."],
  [field('t', 'utf8', { nullable: false }), ['a', null], "Column 't', row 1: expected utf8, found null."],
  [field('b', 'bool'), [true, 1], "Column 'b', row 1: expected bool, found the integer 1."],
  [field('i', 'int64'), [1, 1.5], "Column 'i', row 1: expected int64, found the float 1.5."],
  [field('i', 'int64'), [NaN], "Column 'i', row 0: expected int64, found the float NaN."],
  [field('i', 'int64'), [2n ** 63n], "Column 'i', row 0: expected int64, found the integer 9223372036854775808."],
  [field('i', 'int64'), [null, '12'], `Column 'i', row 1: expected int64, found the text "12".`],
  [field('f', 'float64'), [1, true], "Column 'f', row 1: expected float64, found the boolean true."],
  [field('l', { list: 'utf8' }), [['a'], 'b'], `Column 'l', row 1: expected list<utf8>, found the text "b".`],
  [field('l', { list: 'int64' }), [[], null, [1], [2, [3]]], "Column 'l[]', row 3: expected int64, found a list."],
  [field('p', POINT), [null, ['x']], "Column 'p', row 1: expected struct<x, label>, found a list."],
  [field('p', POINT), [new Float(1)], "Column 'p', row 0: expected struct<x, label>, found the float 1.0."],
  [field('p', POINT), [null, { x: 1 }], "Column 'p.label', row 1: expected utf8, found null."],
  [
    field('ps', { list: POINT }),
    [[], [{ label: 'a' }, { label: 'b', x: 'no' }]],
    `Column 'ps[].x', row 1: expected int64, found the text "no".`,
  ],
  [
    field('answer__trace', { list: TRACE_MESSAGE }),
    [null, [{ role: 'assistant', content: [{ type: 'text' }] }]],
    "Column 'answer__trace[].content', row 1: expected utf8, found a list.",
  ],
];

test.each(MISFITS)(
  'every storage format rejects a value that does not fit and names column, row and kind: %o %o',
  async (declared, values, message) => {
    const columns = new Map([[declared.name, values]]);
    const batch = { fields: [declared], columns, rows: values.length };
    expect(() => encodeBatch({ ...batch, columns })).toThrow(
      expect.objectContaining({ code: 'dataset/misfit', message }),
    );
    for (const format of BATCH_FORMATS) {
      await expect(fileBytes(batch, format)).rejects.toMatchObject({ code: 'dataset/misfit', message });
    }
  },
);

describe('the columns of a batch', () => {
  const fields = [field('a', 'int64'), field('b', 'utf8')];

  test('must all exist', () => {
    expect(() => encodeBatch({ fields, columns: new Map([['a', [1]]]), rows: 1 })).toThrow(
      "Column 'b' is declared but has no values.",
    );
  });

  test('must have one value per row', () => {
    const columns = new Map<string, ColumnData>([
      ['a', [1, 2]],
      ['b', ['x']],
    ]);
    expect(() => encodeBatch({ fields, columns, rows: 2 })).toThrow(
      "Column 'b' has 1 values, but the batch has 2 rows.",
    );
  });
});

test('typed arrays of the right kind are shared, not copied', () => {
  const integers = BigInt64Array.of(1n, 2n);
  const floats = Float64Array.of(0.5, 1);
  const fields = [field('i', 'int64'), field('f', 'float64')];
  const columns = new Map<string, ColumnData>([
    ['i', integers],
    ['f', floats],
  ]);
  const batch = encodeBatch({ fields, columns, rows: 2 });
  expect(batch.getChildAt(0)?.data[0]?.values).toBe(integers);
  expect(batch.getChildAt(1)?.data[0]?.values).toBe(floats);
});

test('only columns with nulls have validity bitmaps', () => {
  const fields = [field('full', 'int64'), field('holes', 'int64')];
  const columns = new Map([
    ['full', [1, 2, 3]],
    ['holes', [1, null, 3]],
  ]);
  const batch = encodeBatch({ fields, columns, rows: 3 });
  expect(batch.getChildAt(0)?.nullCount).toBe(0);
  expect(batch.getChildAt(0)?.data[0]?.nullBitmap?.length ?? 0).toBe(0);
  expect(batch.getChildAt(1)?.nullCount).toBe(1);
});

test('integers keep all digits, also negative ones and those at the 32-bit limits', () => {
  const integers = [
    0,
    -1,
    1,
    2 ** 31,
    2 ** 32,
    -(2 ** 31),
    -(2 ** 32) - 1,
    Number.MAX_SAFE_INTEGER,
    -(2 ** 53),
    2 ** 62,
  ];
  const columns = new Map([['i', integers]]);
  const batch = encodeBatch({ fields: [field('i', 'int64')], columns, rows: integers.length });
  const read = tableFromIPC(tableToIPC(new Table(batch))).getChild('i') as Vector;
  expect([...read]).toEqual(integers.map(BigInt));
});

test('the schema keeps nullability, also of members', () => {
  const fields = [field('required', 'utf8', { nullable: false }), field('point', POINT)];
  const columns = new Map<string, ColumnData>([
    ['required', ['a']],
    ['point', [null]],
  ]);
  const { schema } = encodeBatch({ fields, columns, rows: 1 });
  expect(schema.fields.map(({ nullable }) => nullable)).toEqual([false, true]);
  const { children } = (schema.fields[1] as Field<Struct>).type;
  expect(children.map(({ nullable }) => nullable)).toEqual([true, false]);
});
