import type { ArrowField, Batch, CellValue, ColumnData, Row } from '@data-designer/core';

/** A batch of rows that are read one by one ends at so many rows: as many as a small row group has. */
const CHUNK_ROWS = 5000;
/** About the bytes at which a batch ends: readers of a file have one of its batches in memory at a time. */
const CHUNK_BYTES = 4 * 1024 * 1024;
/** What a value without text takes. */
const PLAIN_BYTES = 8;

/** Rows as a batch of columns. */
export function batchOf(rows: readonly Row[], fields: readonly ArrowField[]): Batch {
  const columns = new Map(fields.map(({ name }) => [name, rows.map((row) => row[name] ?? null)]));
  return { fields, columns, rows: rows.length };
}

/** The number of rows, and about the bytes, at which a batch ends. */
export interface ChunkSize {
  readonly rows: number;
  readonly bytes: number;
}

/** Rows as batches; at least one batch, so that a file without rows has its fields. */
export async function* chunksOf(
  records: AsyncIterable<Row>,
  fields: readonly ArrowField[],
  most: ChunkSize = { rows: CHUNK_ROWS, bytes: CHUNK_BYTES },
): AsyncGenerator<Batch> {
  let chunk = emptyChunk(fields);
  let [rows, bytes] = [0, 0];
  let isFirst = true;
  for await (const record of records) {
    for (const [name, values] of chunk) {
      const value = record[name] ?? null;
      values.push(value);
      bytes += bytesOf(value);
    }
    if (++rows < most.rows && bytes < most.bytes) continue;
    yield { fields, columns: chunk, rows };
    chunk = emptyChunk(fields);
    rows = bytes = 0;
    isFirst = false;
  }
  if (rows > 0 || isFirst) yield { fields, columns: chunk, rows };
}

function emptyChunk(fields: readonly ArrowField[]): Map<string, CellValue[]> {
  return new Map(fields.map(({ name }) => [name, []]));
}

/** A batch in parts of about so many bytes; the batch itself if it has no more. */
export function* partsOf(batch: Batch, most = CHUNK_BYTES): Generator<Batch> {
  const { columns, rows } = batch;
  const listed = [...columns.values()].filter((values) => Array.isArray(values));
  const plainBytes = PLAIN_BYTES * (columns.size - listed.length);
  let [first, bytes] = [0, 0];
  for (let row = 0; row < rows; row++) {
    bytes += plainBytes;
    for (const values of listed) bytes += bytesOf(values[row]);
    if (bytes < most || row + 1 === rows) continue;
    yield partOf(batch, first, row + 1);
    [first, bytes] = [row + 1, 0];
  }
  yield first === 0 ? batch : partOf(batch, first, rows);
}

function partOf({ fields, columns, firstRow = 0 }: Batch, from: number, to: number): Batch {
  const part = (values: ColumnData): ColumnData =>
    ArrayBuffer.isView(values) ? values.subarray(from, to) : values.slice(from, to);
  return {
    fields,
    columns: new Map(Array.from(columns, ([name, values]) => [name, part(values)])),
    rows: to - from,
    firstRow: firstRow + from,
  };
}

/** About the bytes of a value: the characters of its texts, names aside. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return PLAIN_BYTES;
  let bytes = PLAIN_BYTES;
  for (const part of Object.values(value)) bytes += bytesOf(part);
  return bytes;
}
