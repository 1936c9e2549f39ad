import type { KeyValue } from 'hyparquet';
import { ByteWriter, type ColumnSource, ParquetWriter, parquetWrite, type Writer } from 'hyparquet-writer';
import { type ArrowField, type Batch, stringifyJson } from '@data-designer/core';
import { stageSummed, type SummedFile } from '../../repair/checksums.ts';
import { commit } from '../../files/commit-file.ts';
import { pageCodec } from './parquet-codec.ts';
import { FIELDS_KEY, parquetSchema } from './parquet-schema.ts';
import { parquetValues } from './parquet-values.ts';
import { slotsOf } from '../../encode/slots-of.ts';
import { StreamWriter } from '../../encode/stream-writer.ts';

/**
 * Writes a batch as a Parquet file of one row group under a temporary name, fsynced; `commit` gives it its name. Only
 * about a megabyte of the file is in memory at a time.
 */
export function stageParquet(path: string, batch: Batch, options: { temporary?: string } = {}): Promise<SummedFile> {
  return stageSummed(path, (append) => write(batch, new StreamWriter(append)), { ...options, rows: batch.rows });
}

/** Writes a batch as a Parquet file that is either there in full or not at all. */
export async function writeParquet(path: string, batch: Batch): Promise<void> {
  await commit(await stageParquet(path, batch));
}

/** A batch as the bytes of a Parquet file. */
export function parquetBytes(batch: Batch): Uint8Array {
  const writer = new ByteWriter();
  write(batch, writer);
  return writer.getBytes();
}

/** Appends batches of the given fields as one Parquet file, each as a row group of its own. */
export async function appendParquet(
  fields: readonly ArrowField[],
  batches: AsyncIterable<Batch>,
  append: (bytes: Uint8Array) => void,
): Promise<void> {
  const writer = new ParquetWriter({
    writer: new StreamWriter(append),
    schema: parquetSchema(fields),
    ...pageCodec(),
    kvMetadata: fieldsMetadata(fields),
    createdBy: 'data-designer',
  });
  for await (const batch of batches) {
    if (batch.rows === 0) continue;
    await writer.write({ columnData: fields.map((field) => columnSource(batch, field)), rowGroupSize: batch.rows });
  }
  await writer.finish();
}

function write(batch: Batch, writer: Writer): void {
  void parquetWrite({
    writer,
    schema: parquetSchema(batch.fields),
    columnData: batch.fields.map((field) => columnSource(batch, field)),
    ...pageCodec(),
    rowGroupSize: Math.max(batch.rows, 1),
    kvMetadata: fieldsMetadata(batch.fields),
    createdBy: 'data-designer',
  });
}

function columnSource(batch: Batch, field: ArrowField): ColumnSource {
  const source = { name: field.name, data: parquetValues(field, slotsOf(batch, field)) };
  // The writer's dictionary takes 0 and -0 for one value.
  return field.type === 'float64' ? { ...source, encoding: 'PLAIN' } : source;
}

function fieldsMetadata(fields: readonly ArrowField[]): KeyValue[] {
  return [{ key: FIELDS_KEY, value: stringifyJson(fields) }];
}
