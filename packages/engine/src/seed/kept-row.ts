import { Float } from '@data-designer/core';

/** A row of the calling program. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * A copy of a row of data in the form in which Node writes values down: a `Float`, whose class would be lost, as a set
 * of one number. Later changes of the row do not reach it.
 */
export function keptRow(row: Row): Row {
  return kept(row) as Row;
}

function kept(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Float) return new Set([value.value]);
  if (Array.isArray(value)) return value.map(kept);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, kept(part)]));
}

/** The row that was kept. */
export function takenUp(row: Row): Row {
  return revived(row) as Row;
}

function revived(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Set) return new Float([...(value as Set<number>)][0] as number);
  if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => {
      if (typeof item === 'object') value[index] = revived(item);
    });
    return value;
  }
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    const part = record[key];
    if (typeof part !== 'object' || part === null) continue;
    Object.defineProperty(record, key, { value: revived(part), enumerable: true, writable: true, configurable: true });
  }
  return record;
}
