import { sep } from 'node:path';
import type { TableFormat } from '@data-designer/config';

const READERS = { parquet: 'read_parquet', csv: 'read_csv', json: 'read_json', jsonl: 'read_json' } as const;

/**
 * The SQL of a table in files of one kind, one after the other, typed by DuckDB's own rules. The paths must be absolute
 * and `canBeNamed`; they stand for themselves, whatever signs are in them. A folder named `key=value` adds a column.
 */
export function seedTable(files: readonly string[], format: TableFormat): string {
  return `${READERS[format]}(${quotedPaths(files)})`;
}

/** Whether DuckDB can be given a path: not if it has a backslash beside the signs of a pattern. */
export function canBeNamed(file: string): boolean {
  const path = withSlashes(file);
  return !path.includes('\\') || !/[*?[]/.test(path);
}

/** Paths as SQL: a list of patterns that match just these files. */
export function quotedPaths(files: readonly string[]): string {
  return `[${files.map(quotedPath).join(', ')}]`;
}

/** A path as SQL: a pattern that matches just this file. */
export function quotedPath(file: string): string {
  return quotedText(withSlashes(file).replace(/[*?[]/g, (sign) => `[${sign}]`));
}

/** Text as SQL. */
export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A column's name as SQL. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function withSlashes(file: string): string {
  return sep === '\\' ? file.replaceAll('\\', '/') : file;
}
