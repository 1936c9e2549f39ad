import { Float } from './float.ts';

/**
 * What a cell may hold: JSON and three things more. Integers beyond 2^53 are `bigint`, non-finite floats are `number`,
 * and an integral float is a `Float` where nothing else says that it is a float.
 */
export type CellValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | readonly CellValue[]
  | { readonly [key: string]: CellValue };

/** The deepest nesting of a value: beyond any intended one, within every reader's stack; a cycle reaches it too. */
export const MAX_VALUE_DEPTH = 200;

/** One row as cells see it: column name to value. */
export type Row = Readonly<Record<string, CellValue>>;

/** Whether a value is a list. */
export function isList(value: CellValue): value is readonly CellValue[] {
  return Array.isArray(value);
}

/** A value as templates print it: an integral number of a float column is boxed as a float. */
export function printable(value: CellValue, isFloat: boolean): CellValue {
  return isFloat && typeof value === 'number' && Number.isInteger(value) ? new Float(value) : value;
}

/** Takes the `Float` boxes out of a value, sharing every part that holds none. */
export function unboxed(value: CellValue): CellValue {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Float) return value.value;
  return isList(value) ? unboxedArray(value) : unboxedRecord(value);
}

function unboxedArray(values: readonly CellValue[]): readonly CellValue[] {
  let copy: CellValue[] | undefined;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? null;
    const plain = unboxed(value);
    if (plain !== value) (copy ??= [...values])[index] = plain;
  }
  return copy ?? values;
}

function unboxedRecord(record: { readonly [key: string]: CellValue }): { readonly [key: string]: CellValue } {
  let copy: Record<string, CellValue> | undefined;
  for (const [key, value] of Object.entries(record)) {
    const plain = unboxed(value);
    if (plain !== value) (copy ??= { ...record })[key] = plain;
  }
  return copy ?? record;
}
