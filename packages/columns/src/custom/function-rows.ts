import { type Cell, type CellValue, unboxed } from '@data-designer/core';

/** The columns that a function reads, without the boxes that only templates understand. */
export function rowOf({ row }: Cell, columns: readonly string[]): Readonly<Record<string, CellValue>> {
  return Object.fromEntries(columns.map((name) => [name, unboxed(row[name] ?? null)]));
}

/** What stands for a value that has no place where it is. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
