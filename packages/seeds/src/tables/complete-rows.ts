import type { ArrowField } from '@data-designer/core';
import { countRows } from '@data-designer/dataset/parquet';
import { rowsInFile } from './table-reader.ts';
import { TableWriter } from './table-writer.ts';

/** Rows are read this many at a time. */
const CHUNK_ROWS = 1024;

/** A table whose rows are in order but have only their first columns, and where the whole table goes. */
export interface UnfinishedTable {
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
  { ordered, destination, fields, known }: UnfinishedTable,
  { rowOf, signal }: Completion,
): Promise<number> {
  using writer = new TableWriter(destination, fields, { isPacked: true });
  const rows = await countRows(ordered);
  for await (const row of rowsInFile({ path: ordered, fields: known, rows }, CHUNK_ROWS)) {
    signal.throwIfAborted();
    const { values, characters } = await rowOf(row.map(textOf));
    writer.add(values, characters);
  }
  writer.finish();
  return rows;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
