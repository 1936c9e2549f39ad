import { Float } from '@data-designer/core';

/** What a map that stands for a `Float` has its number under. */
const FLOAT = 'float';

/** A row of the calling program. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * A copy of data in the form in which Node writes values down: a `Float`, whose class would be lost, as a map,
 * which is no data of rows. Later changes of the original do not reach it.
 */
export function keptValue<Value>(value: Value): Value {
  return kept(value) as Value;
}

function kept(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Float) return new Map([[FLOAT, value.value]]);
  if (Array.isArray(value)) return value.map(kept);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, kept(part)]));
}

/** The value that was kept. */
export function takenUpValue<Value>(value: Value): Value {
  return revived(value) as Value;
}

function revived(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Map) return new Float((value as ReadonlyMap<string, number>).get(FLOAT) as number);
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
