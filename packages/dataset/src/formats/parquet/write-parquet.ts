import { ParquetWriter } from 'hyparquet-writer';
import { stringifyJson } from '@data-designer/core';
import { slotsOf } from '../../encode/slots.ts';
import type { Append, BatchedTable } from '../dataset-format.ts';
import { pageCodec } from './parquet-codec.ts';
import { FIELDS_KEY, parquetSchema } from './parquet-schema.ts';
import { parquetColumn } from './parquet-column.ts';
import { StreamWriter } from './stream-writer.ts';

/** Appends batches as the row groups of one Parquet file, with about a megabyte of it in memory at a time. */
export async function writeParquet({ fields, batches }: BatchedTable, append: Append): Promise<void> {
  const writer = new ParquetWriter({
    writer: new StreamWriter(append),
    schema: parquetSchema(fields),
    ...pageCodec(),
    kvMetadata: [{ key: FIELDS_KEY, value: stringifyJson(fields) }],
    createdBy: 'data-designer',
  });
  for await (const batch of batches) {
    const columnData = fields.map((field) => parquetColumn(field, slotsOf(batch, field)));
    if (batch.rows > 0) await writer.write({ columnData, rowGroupSize: batch.rows });
  }
  await writer.finish();
}
