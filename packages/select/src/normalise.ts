import { type CellValue, stringifyJson } from '@data-designer/core';

/** Anything but single spaces between words. */
const UNFOLDED = /\s{2}|[^\S ]|^\s|\s$/u;

/** A text in Unicode form NFKC and lower case. White space is as it was. */
export function normaliseCase(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** A text in Unicode form NFKC and lower case, with single spaces between words. */
export function normalise(text: string): string {
  const lower = normaliseCase(text);
  return UNFOLDED.test(lower) ? lower.trim().replace(/\s+/gu, ' ') : lower;
}

/** The text of a cell: a text as it is, JSON text of another value, undefined for null and missing values. */
export function textOf(value: CellValue | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : stringifyJson(value);
}
