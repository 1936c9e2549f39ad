import { ParquetWriter } from 'hyparquet-writer';
import { type ArrowField, type ArrowType, stringifyJson } from '@data-designer/core';
import { slotsOf } from '../../encode/slots.ts';
import type { Append, BatchedTable } from '../dataset-format.ts';
import type { PageCodec } from './parquet-codec.ts';
import { FIELDS_KEY, parquetSchema } from './parquet-schema.ts';
import { parquetColumn } from './parquet-column.ts';
import { StreamWriter } from './stream-writer.ts';

/** The uncompressed bytes of a page that browsers read: a row is read with all rows of its page. */
const BROWSER_PAGE_BYTES = 128 * 1024;

/**
 * Appends batches as the row groups of one Parquet file, with about a megabyte of it in memory at a time. The default codec is
 * Snappy.
 */
export async function writeParquet(
  { fields, batches, isForBrowsers = false, timeZone }: BatchedTable,
  append: Append,
  codec: PageCodec = { codec: 'SNAPPY' },
): Promise<void> {
  const writer = new ParquetWriter({
    writer: new StreamWriter(append),
    schema: parquetSchema(fields),
    ...codec,
    kvMetadata: [{ key: FIELDS_KEY, value: stringifyJson(fields) }, ...(await zoneEntries(fields, timeZone))],
    createdBy: 'data-designer',
  });
  for await (const batch of batches) {
    const columnData = fields.map((field) => parquetColumn(field, slotsOf(batch, field)));
    const size = { rowGroupSize: batch.rows, ...(isForBrowsers && { pageSize: BROWSER_PAGE_BYTES }) };
    if (batch.rows > 0) await writer.write({ columnData, ...size });
  }
  await writer.finish();
}

/** Parquet itself knows only UTC: readers take the name of a zone from the Arrow schema in the metadata. */
async function zoneEntries(
  fields: readonly ArrowField[],
  timeZone: string | undefined,
): Promise<readonly { readonly key: string; readonly value: string }[]> {
  if (timeZone === undefined || !fields.some(({ type }) => holdsZone(type))) return [];
  const { Table, tableToIPC } = await import('apache-arrow');
  const { arrowSchema } = await import('../../encode/arrow-schema.ts');
  const bytes = tableToIPC(new Table(arrowSchema(fields, timeZone)), 'stream');
  return [{ key: 'ARROW:schema', value: Buffer.from(bytes).toString('base64') }];
}

function holdsZone(type: ArrowType): boolean {
  if (typeof type === 'string') return false;
  if ('logical' in type) return type.logical === 'timestamp' && type.zoned;
  return 'list' in type ? holdsZone(type.list) : type.struct.some((member) => holdsZone(member.type));
}
