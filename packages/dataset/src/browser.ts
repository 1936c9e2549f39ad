// What a browser can run of this package: pages read and write rows in it without Node.
export { type PlainRow, rowDecoder } from './encode/decode-row.ts';
export { chunksOf } from './encode/row-chunks.ts';
export { csv } from './formats/csv/csv.ts';
export type { Append, BatchedTable, Records } from './formats/dataset-format.ts';
export { jsonl } from './formats/jsonl/jsonl.ts';
export { FIELDS_KEY } from './formats/parquet/parquet-schema.ts';
export {
  type OpenParquet,
  readPositions,
  readRange,
  type RowRange,
  rowGroupRanges,
} from './formats/parquet/read-ranges.ts';

/** Writes Arrow IPC files; loaded on first use. */
export const loadArrowWriter = async () => (await import('./formats/arrow/write-arrow.ts')).writeArrow;

/** Writes Parquet files with Snappy pages; loaded on first use. */
export const loadParquetWriter = async () => (await import('./formats/parquet/write-parquet.ts')).writeParquet;
