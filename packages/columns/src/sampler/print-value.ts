import { type CellValue, stringifyJson } from '@data-designer/core';

/** A value as text: what `String` gives of numbers and text, JSON of anything else. */
export function printValue(value: CellValue): string {
  return typeof value === 'object' ? stringifyJson(value) : String(value);
}
