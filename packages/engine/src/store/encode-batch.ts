import type { ArrowField, ColumnData } from '@data-designer/core';
import { makeData, RecordBatch, Struct } from 'apache-arrow';
import { arrowSchema } from './arrow-schema.ts';
import { encodeColumn } from './encode-column.ts';
import { slotsOf } from './row-batch.ts';

/**
 * Turns typed columns into one Arrow record batch. Typed arrays are shared, not copied. Throws `dataset/misfit`, which names
 * column and row if a value does not fit its field's type.
 */
export function encodeBatch(
  fields: readonly ArrowField[],
  columns: ReadonlyMap<string, ColumnData>,
  rows: number,
): RecordBatch {
  const schema = arrowSchema(fields);
  const children = fields.map((field) => encodeColumn(field, slotsOf({ fields, columns, rows }, field)));
  return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length: rows, nullCount: 0, children }));
}
