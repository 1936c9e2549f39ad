import { type CellValue, Float } from '@data-designer/core';

type Members = { readonly [key: string]: CellValue };

/** A value with every number as a plain one, as a JSON Schema sees it; parts without others are shared. */
export function plainNumbers(value: CellValue): CellValue {
  if (typeof value === 'bigint') return plainInteger(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Float) return value.value;
  return Array.isArray(value) ? plainItems(value as readonly CellValue[]) : plainMembers(value as Members);
}

const INT64_END = 2n ** 63n;
/** The largest float below 2^63. */
const LARGEST_BELOW = 2 ** 63 - 1024;

/** What fits into 64 bits may not be rounded up to what does not. */
function plainInteger(value: bigint): number {
  const number = Number(value);
  return value < INT64_END && number >= 2 ** 63 ? LARGEST_BELOW : number;
}

function plainItems(items: readonly CellValue[]): CellValue {
  let copy: CellValue[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as CellValue;
    const plain = plainNumbers(item);
    if (plain !== item) (copy ??= [...items])[index] = plain;
  }
  return copy ?? items;
}

function plainMembers(members: Members): CellValue {
  let copy: Record<string, CellValue> | undefined;
  for (const key in members) {
    const member = members[key] as CellValue;
    const plain = plainNumbers(member);
    if (plain !== member) (copy ??= { ...members })[key] = plain;
  }
  return copy ?? members;
}

/** A long integer that was read from text keeps the digits of the text. */
function withDigits(plain: CellValue, original: CellValue): CellValue {
  const isLong = typeof plain === 'number' && Number.isInteger(plain) && !Number.isSafeInteger(plain);
  return isLong && typeof original === 'string' && /^-?\d+$/.test(original) ? BigInt(original) : plain;
}

/** Puts the numbers of the original back into a part of its plain form; a number that was changed stays as it is. */
export function restoreNumbers(plain: CellValue, original: CellValue): CellValue {
  if (plain === original) return plain;
  if (typeof original !== 'object' || original === null || original instanceof Float) {
    return plain === plainNumbers(original) ? original : withDigits(plain, original);
  }
  if (Array.isArray(plain)) {
    return (plain as readonly CellValue[]).map((item, index) =>
      restoreNumbers(item, (original as CellValue[])[index]!),
    );
  }
  const members = original as Members;
  return Object.fromEntries(
    Object.entries(plain as object).map(([key, member]) => [key, restoreNumbers(member as CellValue, members[key]!)]),
  );
}
