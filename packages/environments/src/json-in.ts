import { type CellValue, parseJson, stringifyJson } from '@data-designer/core';

/** A value, or that of JSON text; throws an `Error` that names the part for text that is none. */
export function jsonIn(value: CellValue, part: string): CellValue {
  if (typeof value !== 'string') return value;
  try {
    return parseJson(value);
  } catch {
    throw new Error(`its ${part} is no JSON: ${shownStart(value)}`);
  }
}

/** The start of a value for a message. */
export function shownStart(value: unknown): string {
  return (stringifyJson(value) ?? '').slice(0, 80);
}
