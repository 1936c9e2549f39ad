import type { DuckDBConnection } from '@duckdb/node-api';
import type { TableFormat } from '@data-designer/config';
import { quotedPaths, tableSql } from '../duck-db/sql-text.ts';

/** A row of a table with a value that cannot be read. */
export interface RowFault {
  /** Its number in all files together, from 1. */
  readonly row: number;
  /** Why, with the words for the row, such as `row 3`. */
  readonly reason: (row: string) => string;
  readonly remedy?: string;
}

/** The error of a row that cannot be read. */
export class RowError extends Error {
  readonly fault: RowFault;

  constructor(fault: RowFault) {
    super(fault.reason(`row ${fault.row}`));
    this.fault = fault;
  }
}

/** One file by its path, several by their number and the first. */
export function nameOf(files: readonly string[]): string {
  return files.length === 1 ? String(files[0]) : `One of ${files.length} files (the first is ${files[0]})`;
}

/**
 * A fault by the file of its row and the number of the row there; by the number in all files where those of one cannot be
 * counted: in CSV files, and in files that are read from copies in UTF-8.
 */
export async function placedFault(
  connection: DuckDBConnection,
  { files, format }: { readonly files: readonly string[]; readonly format: TableFormat },
  { row, reason, remedy }: RowFault,
): Promise<{ readonly file: string; readonly reason: string; readonly remedy?: string }> {
  const told = (file: string, place: string) => ({
    file,
    reason: reason(place),
    ...(remedy !== undefined && { remedy }),
  });
  if (files.length === 1) return told(nameOf(files), `row ${row}`);
  let before = 0;
  for (const file of format === 'csv' ? [] : files) {
    const own = await rowsOf(connection, file, format);
    if (own === undefined) break;
    if (row <= before + own) return told(file, `row ${row - before}`);
    before += own;
  }
  return told(nameOf(files), `row ${row} of all of them`);
}

/** The rows of a file; undefined where it cannot be read by itself, so that the fault is told all the same. */
async function rowsOf(connection: DuckDBConnection, file: string, format: TableFormat): Promise<number | undefined> {
  const rows = format === 'parquet' ? tableSql([file], format) : `read_json_objects(${quotedPaths([file])})`;
  try {
    const counted = await connection.runAndReadAll(`SELECT count(*) FROM ${rows}`);
    return Number(counted.getRowsJson()[0]?.[0]);
  } catch {
    return undefined;
  }
}
