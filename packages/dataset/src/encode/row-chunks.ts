import type { ArrowField, Batch, CellValue, Row } from '@data-designer/core';

/** The rows of a batch unless given: as many as a small row group has. */
const CHUNK_ROWS = 5000;

/** Rows as a batch of columns. */
export function batchOf(rows: readonly Row[], fields: readonly ArrowField[]): Batch {
  const columns = new Map(fields.map(({ name }) => [name, rows.map((row) => row[name] ?? null)]));
  return { fields, columns, rows: rows.length };
}

/** Rows as batches of `size` rows; at least one batch, so that a file without rows has its fields. */
export async function* chunksOf(
  records: AsyncIterable<Row>,
  fields: readonly ArrowField[],
  size = CHUNK_ROWS,
): AsyncGenerator<Batch> {
  let chunk = emptyChunk(fields);
  let rows = 0;
  let isFirst = true;
  for await (const record of records) {
    for (const [name, values] of chunk) values.push(record[name] ?? null);
    if (++rows < size) continue;
    yield { fields, columns: chunk, rows };
    chunk = emptyChunk(fields);
    rows = 0;
    isFirst = false;
  }
  if (rows > 0 || isFirst) yield { fields, columns: chunk, rows };
}

function emptyChunk(fields: readonly ArrowField[]): Map<string, CellValue[]> {
  return new Map(fields.map(({ name }) => [name, []]));
}
