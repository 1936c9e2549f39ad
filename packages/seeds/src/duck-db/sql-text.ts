import { sep } from 'node:path';
import type { TableFormat } from '@data-designer/config';

const READERS = { parquet: 'read_parquet', csv: 'read_csv', json: 'read_json', jsonl: 'read_json' } as const;

/** SQL of the table in files, in order; the absolute paths are taken literally and must pass `canBeNamed`. */
export function tableSql(files: readonly string[], format: TableFormat): string {
  return `${READERS[format]}(${quotedPaths(files)})`;
}

/** Whether DuckDB can read a path: it cannot escape glob characters in a path with a backslash. */
export function canBeNamed(file: string): boolean {
  const path = withSlashes(file);
  return !path.includes('\\') || !/[*?[]/.test(path);
}

/** SQL of a list of patterns that match just these files. */
export function quotedPaths(files: readonly string[]): string {
  return `[${files.map(quotedPath).join(', ')}]`;
}

/** SQL of a pattern that matches just this file. */
export function quotedPath(file: string): string {
  return quotedText(withSlashes(file).replace(/[*?[]/g, (sign) => `[${sign}]`));
}

/** SQL of a text. */
export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** SQL of a column's name. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function withSlashes(file: string): string {
  return sep === '\\' ? file.replaceAll('\\', '/') : file;
}
