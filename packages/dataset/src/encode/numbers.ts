import { type ArrowType, Float } from '@data-designer/core';
import { misfit, type Slots } from './slots.ts';

const TWO_TO_32 = 2 ** 32;
const TWO_TO_63 = 2 ** 63;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/** A value as a 64-bit integer; undefined for other values. Accepts integral floats: JSON Schema calls 3.0 an integer. */
export function asInt64(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value >= MIN_INT64 && value <= MAX_INT64 ? value : undefined;
  const number = value instanceof Float ? value.value : value;
  return isInt64Number(number) ? BigInt(number) : undefined;
}

/** A value as a 64-bit float; undefined for other values. Rounds a `bigint` as Python's `float()` does. */
export function asFloat64(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (value instanceof Float) return value.value;
  return typeof value === 'bigint' ? Number(value) : undefined;
}

/** All values as the 64-bit integers of a type, 0 for null. Throws `dataset/misfit`. */
export function unitsArray(
  slots: Slots,
  type: ArrowType,
  unitsOf: (value: unknown) => bigint | undefined,
): BigInt64Array {
  const { values } = slots;
  const units = new BigInt64Array(values.length);
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot];
    if (value === null || value === undefined) continue;
    const number = unitsOf(value);
    if (number === undefined) throw misfit(slots, slot, type);
    units[slot] = number;
  }
  return units;
}

/** All values as 64-bit integers, 0 for null; returns a `BigInt64Array` unchanged. Throws `dataset/misfit`. */
export function int64Array(slots: Slots): BigInt64Array {
  const { values } = slots;
  if (values instanceof BigInt64Array) return values;
  const integers = new BigInt64Array(values.length);
  // Two 32-bit stores per value: a `BigInt` for each number costs several times as much.
  const words = new Int32Array(integers.buffer);
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot];
    if (value === null || value === undefined) continue;
    if (isInt64Number(value)) {
      words[2 * slot] = value;
      words[2 * slot + 1] = Math.floor(value / TWO_TO_32);
      continue;
    }
    const integer = asInt64(value);
    if (integer === undefined) throw misfit(slots, slot, 'int64');
    integers[slot] = integer;
  }
  return integers;
}

/** All values as 64-bit floats, 0 for null; returns a `Float64Array` unchanged. Throws `dataset/misfit`. */
export function float64Array(slots: Slots): Float64Array {
  const { values } = slots;
  if (values instanceof Float64Array) return values;
  const floats = new Float64Array(values.length);
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot];
    if (value === null || value === undefined) continue;
    const float = asFloat64(value);
    if (float === undefined) throw misfit(slots, slot, 'float64');
    floats[slot] = float;
  }
  return floats;
}

function isInt64Number(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= -TWO_TO_63 && value < TWO_TO_63;
}
