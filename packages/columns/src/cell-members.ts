import { type Cell, type CellValue, Float, unboxed } from '@data-designer/core';

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
