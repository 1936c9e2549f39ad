import { type Cell, type CellValue, DataDesignerError, Float, unboxed } from '@data-designer/core';

/** A cell value with named members: an object. */
export type Members = { readonly [key: string]: CellValue };

/** Whether a cell value is an object with named members. */
export function isMembers(value: CellValue | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float);
}

/** The cells of some columns as a function receives them: without boxes, which only templates understand. */
export function unboxedRow({ row }: Cell, columns: readonly string[]): Members {
  return Object.fromEntries(columns.map((name) => [name, unboxed(row[name] ?? null)]));
}

/** The kind of an unexpected value, for messages. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** The failure of a function that makes cells. */
export function badResult(column: string, reason: string): DataDesignerError {
  return new DataDesignerError('column/bad-result', { column, reason });
}

/** The results of a function for several rows; throws `column/bad-result` unless they are a list with one per row. */
export function resultPerRow(results: unknown, rows: number, column: string): readonly unknown[] {
  if (!Array.isArray(results)) {
    throw badResult(column, `it must return a list with one result per row, but returned ${kindOf(results)}`);
  }
  if (results.length === rows) return results;
  throw badResult(column, `it received ${rows} rows but returned ${results.length} results`);
}
