import { makeData, RecordBatch, Struct } from 'apache-arrow';
import type { Batch } from '@data-designer/core';
import { arrowSchema } from './arrow-schema.ts';
import { encodeColumn } from './encode-column.ts';
import { slotsOf } from './slots-of.ts';

/**
 * Turns typed columns into one Arrow record batch. Typed arrays are shared, not copied. Throws `dataset/misfit`, which names
 * column and row if a value does not fit its field's type.
 */
export function encodeBatch(batch: Batch): RecordBatch {
  const schema = arrowSchema(batch.fields);
  const children = batch.fields.map((field) => encodeColumn(field, slotsOf(batch, field)));
  const struct = { type: new Struct(schema.fields), length: batch.rows, nullCount: 0, children };
  return new RecordBatch(schema, makeData(struct));
}
