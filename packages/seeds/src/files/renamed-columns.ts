import type { DuckDBConnection } from '@duckdb/node-api';
import type { TableFormat } from '@data-designer/config';
import { quotedPath, quotedPaths, quotedText } from '../duck-db/sql-text.ts';

/** A column that repeats an earlier name, and the name that DuckDB reads it as. */
export interface RenamedColumn {
  readonly name: string;
  readonly readAs: string;
}

interface Table {
  readonly files: readonly string[];
  readonly format: TableFormat;
}

/** The columns that DuckDB renamed because an earlier one has their name; reads the file's names only if one looks so. */
export async function renamedColumns(
  connection: DuckDBConnection,
  names: readonly string[],
  table: Table,
): Promise<RenamedColumn[]> {
  const suspects = names.flatMap((readAs, index) => {
    const name = /^(.*)_\d+$/s.exec(readAs)?.[1]?.toLowerCase();
    const first = names.slice(0, index).find((other) => other.toLowerCase() === name);
    return first === undefined ? [] : [{ name: first, readAs }];
  });
  if (suspects.length === 0) return [];
  const written = await writtenNames(connection, suspects, table);
  return suspects.filter(({ readAs }) => !written.has(readAs));
}

/** The names that the files themselves hold, at least those of the suspects. */
async function writtenNames(
  connection: DuckDBConnection,
  suspects: readonly RenamedColumn[],
  { files, format }: Table,
): Promise<Set<string>> {
  const paths = quotedPaths(files);
  if (format === 'parquet') return firstColumn(connection, `SELECT name FROM parquet_schema(${paths})`);
  if (format === 'csv') return csvHeader(connection, files[0] ?? '');
  const keys = `SELECT DISTINCT unnest(json_keys(json)) AS key FROM read_json_objects(${paths})`;
  const wanted = suspects.map(({ readAs }) => quotedText(readAs)).join(', ');
  return firstColumn(connection, `SELECT key FROM (${keys}) WHERE key IN (${wanted})`);
}

async function firstColumn(connection: DuckDBConnection, sql: string): Promise<Set<string>> {
  const reader = await connection.runAndReadAll(sql);
  return new Set(reader.getRowsJson().flatMap(([value]) => (typeof value === 'string' ? [value] : [])));
}

/** The names in the header of a file, which is read as a row. */
async function csvHeader(connection: DuckDBConnection, file: string): Promise<Set<string>> {
  const path = quotedPath(file);
  const sniffed = await connection.runAndReadAll(`SELECT SkipRows FROM sniff_csv(${path})`);
  const skip = Number(sniffed.getRowsJson()[0]?.[0] ?? 0);
  const options = `header = false, all_varchar = true, skip = ${skip}`;
  const reader = await connection.runAndReadAll(`SELECT * FROM read_csv(${path}, ${options}) LIMIT 1`);
  return new Set((reader.getRowsJson()[0] ?? []).flatMap((value) => (typeof value === 'string' ? [value.trim()] : [])));
}
