import { type Row, stringifyJson, unboxed } from '@data-designer/core';

const ROWS_PER_INSERT = 500;

/** The statements that make tables of rows; the type of a column is that of all its values, and TEXT otherwise. */
export function tableStatements(tables: Readonly<Record<string, readonly Row[]>>): readonly string[] {
  return Object.entries(tables).flatMap(([table, rows]) => {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    if (names.length === 0) return [];
    const columns = names.map((name) => `${quoted(name)} ${typeOf(rows.map((row) => unboxed(row[name] ?? null)))}`);
    const inserts = Array.from({ length: Math.ceil(rows.length / ROWS_PER_INSERT) }, (_, at) => {
      const values = rows
        .slice(at * ROWS_PER_INSERT, (at + 1) * ROWS_PER_INSERT)
        .map((row) => `(${names.map((name) => literal(unboxed(row[name] ?? null))).join(', ')})`);
      return `INSERT INTO ${quoted(table)} VALUES ${values.join(', ')}`;
    });
    return [`CREATE TABLE ${quoted(table)} (${columns.join(', ')})`, ...inserts];
  });
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function typeOf(values: readonly unknown[]): string {
  const given = values.filter((value) => value !== null);
  const all = (is: (value: unknown) => boolean): boolean => given.length > 0 && given.every(is);
  if (all((value) => typeof value === 'bigint' || Number.isSafeInteger(value))) return 'BIGINT';
  if (all((value) => typeof value === 'number')) return 'DOUBLE';
  return all((value) => typeof value === 'boolean') ? 'BOOLEAN' : 'TEXT';
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))) return String(value);
  const text = typeof value === 'string' ? value : stringifyJson(value);
  return `'${text.replaceAll("'", "''")}'`;
}
