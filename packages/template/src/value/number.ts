import { Float } from '@data-designer/core';
import type { Value } from './value.ts';

/** A number as arithmetic sees it: ints are safe numbers or `bigint`, floats are the rest. */
export type Numeric = number | bigint | Float;

/** The number a value is, a boolean being 0 or 1, or undefined. */
export function numeric(value: Value): Numeric | undefined {
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Float) return value;
  return typeof value === 'boolean' ? Number(value) : undefined;
}

/** Whether a number is a Python float. */
export function isFloat(value: Value): boolean {
  return value instanceof Float || (typeof value === 'number' && !Number.isSafeInteger(value));
}

/** The Python int a value is, booleans aside, or undefined. */
export function whole(value: Value): number | bigint | undefined {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value)) ? value : undefined;
}

/** The float of this value, boxed where it is integral. */
export function float(value: number): number | Float {
  return Number.isInteger(value) ? new Float(value) : value;
}

/** The int of this value, as a `number` where that is safe. */
export function integer(value: bigint): number | bigint {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** The plain number to calculate with in floats. */
export function plain(value: Numeric): number {
  return typeof value === 'number' ? value : Number(value instanceof Float ? value.value : value);
}

/** Something that compares with `<` and `==` by its exact value. */
export function comparable(value: Numeric): number | bigint {
  return value instanceof Float ? value.value : value;
}

/** An index or a count, where only integers and booleans will do. */
export function index(value: Value): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  const int = whole(value);
  return int === undefined ? undefined : Number(int);
}
