import { Float, parseJson, rawJson } from '@data-designer/core';

/** A value that plain `JSON.stringify` writes with every digit: integers beyond 2^53 become raw JSON, floats numbers. */
export function withEveryDigit(value: unknown): unknown {
  if (typeof value === 'bigint') return rawJson(String(value));
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Float) return value.value;
  if (Array.isArray(value)) return value.map(withEveryDigit);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withEveryDigit(part)]));
}

/** Integers of fewer digits are exact as they are. */
const MAY_LOSE = /\d{16}/;

/** Parses JSON text into what plain `JSON.stringify` writes with every digit; throws a `SyntaxError` as `JSON.parse`. */
export function parseWithEveryDigit(text: string): unknown {
  if (!MAY_LOSE.test(text)) return JSON.parse(text);
  try {
    return withEveryDigit(parseJson(text));
  } catch (thrown) {
    // A value too deep for this walk is still parsed.
    if (thrown instanceof RangeError) return JSON.parse(text);
    throw thrown;
  }
}
