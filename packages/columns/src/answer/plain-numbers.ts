import { type CellValue, Float } from '@data-designer/core';

/** A value with every number as a plain one, as a JSON Schema sees it; parts without others are shared. */
export function plainNumbers(value: CellValue): CellValue {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Float) return value.value;
  if (Array.isArray(value)) {
    const items = (value as readonly CellValue[]).map(plainNumbers);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const members = Object.entries(value).map(([key, member]) => [key, member, plainNumbers(member)] as const);
  const isChanged = members.some(([, member, plain]) => member !== plain);
  return isChanged ? Object.fromEntries(members.map(([key, , plain]) => [key, plain])) : value;
}

/** Puts the numbers of the original back into a part of its plain form; a number that was changed stays as it is. */
export function restoreNumbers(plain: CellValue, original: CellValue): CellValue {
  if (plain === original) return plain;
  if (typeof original !== 'object' || original === null || original instanceof Float) {
    return plain === plainNumbers(original) ? original : plain;
  }
  if (Array.isArray(plain)) {
    return (plain as readonly CellValue[]).map((item, index) =>
      restoreNumbers(item, (original as CellValue[])[index]!),
    );
  }
  const members = original as { readonly [key: string]: CellValue };
  return Object.fromEntries(
    Object.entries(plain as object).map(([key, member]) => [key, restoreNumbers(member as CellValue, members[key]!)]),
  );
}
