import { Float } from '@data-designer/core';
import type { Value } from './value.ts';

/** A number: ints are safe numbers or `bigint`, all others are floats. */
export type Numeric = number | bigint | Float;

/** The value as a number, with a boolean as 0 or 1; undefined if it is none. */
export function numeric(value: Value): Numeric | undefined {
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Float) return value;
  return typeof value === 'boolean' ? Number(value) : undefined;
}

/** Whether a number is a Python float. */
export function isFloat(value: Value): boolean {
  return value instanceof Float || (typeof value === 'number' && !Number.isSafeInteger(value));
}

/** The value if it is a Python int but no boolean, else undefined. */
export function whole(value: Value): number | bigint | undefined {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value)) ? value : undefined;
}

/** A Python float, boxed if it is integral. */
export function float(value: number): number | Float {
  return Number.isInteger(value) ? new Float(value) : value;
}

/** A Python int, as a `number` if that is safe. */
export function integer(value: bigint): number | bigint {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** The number to calculate with in floats. */
export function plain(value: Numeric): number {
  return typeof value === 'number' ? value : Number(value instanceof Float ? value.value : value);
}

/** The number to compare with `<` and `==` by its exact value. */
export function comparable(value: Numeric): number | bigint {
  return value instanceof Float ? value.value : value;
}

/** The value as an index or count; undefined if it is neither an integer nor a boolean. */
export function index(value: Value): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  const int = whole(value);
  return int === undefined ? undefined : Number(int);
}
