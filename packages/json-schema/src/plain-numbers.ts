import { type CellValue, Float } from '@data-designer/core';

type Members = { readonly [key: string]: CellValue };

/** Whether a value is a list; unlike `Array.isArray`, it narrows read-only arrays. */
export function isList(value: CellValue | undefined): value is readonly CellValue[] {
  return Array.isArray(value);
}

function isObject(value: CellValue): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float);
}

/** Turns every bigint and `Float` of a value into a plain number, as a JSON Schema sees it; unchanged parts are shared. */
export function plainNumbers(value: CellValue): CellValue {
  if (typeof value === 'bigint') return plainInteger(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Float) return value.value;
  return isList(value) ? plainItems(value) : plainMembers(value);
}

const INT64_LOW = -(2n ** 63n);
const INT64_END = 2n ** 63n;
/** The largest float below 2^63. */
const LARGEST_BELOW = 2 ** 63 - 1024;
/** The largest float below -2^63. */
const NEXT_LOWER = -(2 ** 63) - 2048;

/** An integer of 64 bits must not be rounded to one that needs more, nor one that needs more to 64 bits. */
function plainInteger(value: bigint): number {
  const number = Number(value);
  if (value < INT64_LOW && number >= -(2 ** 63)) return NEXT_LOWER;
  return value < INT64_END && number >= 2 ** 63 ? LARGEST_BELOW : number;
}

function plainItems(items: readonly CellValue[]): CellValue {
  let copy: CellValue[] | undefined;
  let index = 0;
  for (const item of items) {
    const plain = plainNumbers(item);
    if (plain !== item) (copy ??= [...items])[index] = plain;
    index += 1;
  }
  return copy ?? items;
}

function plainMembers(members: Members): CellValue {
  let copy: Record<string, CellValue> | undefined;
  for (const [key, member] of Object.entries(members)) {
    const plain = plainNumbers(member);
    if (plain !== member) (copy ??= { ...members })[key] = plain;
  }
  return copy ?? members;
}

/** Keeps all digits of a long integer that the model wrote as text. */
function withDigits(plain: CellValue, original: CellValue): CellValue {
  const isLong = typeof plain === 'number' && Number.isInteger(plain) && !Number.isSafeInteger(plain);
  return isLong && typeof original === 'string' && /^-?\d+$/.test(original) ? BigInt(original) : plain;
}

/** Puts the original's bigints and `Float`s back into its plain form; a number that has changed since stays changed. */
export function restoreNumbers(plain: CellValue, original: CellValue | undefined): CellValue {
  if (plain === original || original === undefined) return plain;
  if (isList(plain) && isList(original)) return plain.map((item, index) => restoreNumbers(item, original[index]));
  if (!isObject(original)) return plain === plainNumbers(original) ? original : withDigits(plain, original);
  if (!isObject(plain)) return plain;
  return Object.fromEntries(Object.entries(plain).map(([key, member]) => [key, restoreNumbers(member, original[key])]));
}
