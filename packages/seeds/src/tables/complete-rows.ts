import { type ArrowField, SEED_TABLE } from '@data-designer/core';
import { countRows } from '@data-designer/dataset/parquet';
import { tablesReader } from './table-reader.ts';
import { TableWriter } from './table-writer.ts';

/** Rows are read this many at a time. */
const CHUNK_ROWS = 1024;

/** A table whose rows are in order but have only their first columns, and where the whole table goes. */
export interface Unfinished {
  readonly ordered: string;
  readonly destination: string;
  /** All columns. */
  readonly fields: readonly ArrowField[];
  /** The first columns, which hold text. */
  readonly known: readonly ArrowField[];
}

/** How to make a row from its first columns. */
export interface Completion {
  /** The values of all columns, and their approximate size. */
  readonly rowOf: (
    known: readonly string[],
  ) => Promise<{ readonly values: readonly unknown[]; readonly characters: number }>;
  readonly signal: AbortSignal;
}

/** Writes the rows of a file with all their columns, in the same order; gives their number. */
export async function completeRows(
  { ordered, destination, fields, known }: Unfinished,
  { rowOf, signal }: Completion,
): Promise<number> {
  using writer = new TableWriter(destination, fields, { isPacked: true });
  let rows = 0;
  for await (const row of knownRows(ordered, known)) {
    signal.throwIfAborted();
    const { values, characters } = await rowOf(row);
    writer.add(values, characters);
    rows++;
  }
  writer.finish();
  return rows;
}

async function* knownRows(path: string, fields: readonly ArrowField[]): AsyncGenerator<readonly string[]> {
  const rows = await countRows(path);
  const read = tablesReader([{ id: SEED_TABLE, fields }], [{ id: SEED_TABLE, path, rows }]);
  for (let firstRow = 0; firstRow < rows; firstRow += CHUNK_ROWS) {
    const count = Math.min(CHUNK_ROWS, rows - firstRow);
    const columns = [...((await read({ firstRow, rows: count })).get(SEED_TABLE)?.values() ?? [])];
    for (let row = 0; row < count; row++) yield columns.map((column) => textOf(column[row]));
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
