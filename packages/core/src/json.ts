import { Float, rawJson } from './float.ts';
import type { CellValue } from './value.ts';

/** Numbers that `JSON.parse` would read with loss: integral floats, exponents, and integers of 16 digits or more. */
const MAY_LOSE = /\d\.0*(?!\d)|\d[eE]|\d{16}/;

/**
 * Parses JSON text into a cell value: integers beyond 2^53 become `bigint` and integral floats become `Float`.
 * Throws a `SyntaxError` as `JSON.parse` does. Text without such numbers takes the plain, fast way.
 */
export function parseJson(text: string): CellValue {
  if (!MAY_LOSE.test(text)) return JSON.parse(text) as CellValue;
  return JSON.parse(text, reviveNumber as (key: string, value: unknown) => unknown) as CellValue;
}

function reviveNumber(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value;
  const { source } = context;
  if (/[.eE]/.test(source)) return Number.isInteger(value) ? new Float(value) : value;
  return Number.isSafeInteger(value) ? value : BigInt(source);
}

/** Writes a value as JSON text that `parseJson` reads back equal: `Float` as `1.0`, `bigint` with all its digits. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (thrown) {
    // Only a bigint needs the replacer, which takes three times as long.
    if (!(thrown instanceof TypeError)) throw thrown;
    return JSON.stringify(value, digitsOfBigint, indent);
  }
}

function digitsOfBigint(_key: string, part: unknown): unknown {
  return typeof part === 'bigint' ? rawJson(String(part)) : part;
}
