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

/** Numbers that `JSON.stringify` would write in another way than they were written. */
const MAY_CHANGE = /\d\.\d*0(?!\d)|\.0{6}|\d[eE]|\d{16}|-0/;

/**
 * Parses JSON text whose parts are sent on: `JSON.stringify` writes every number as it was written. Numbers that it would
 * write in another way become raw JSON, which is no number to its reader. Throws a `SyntaxError` as `JSON.parse` does.
 */
export function parseVerbatim(text: string): unknown {
  if (!MAY_CHANGE.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepSource as (key: string, value: unknown) => unknown);
}

function keepSource(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && String(value) !== source ? rawJson(source) : value;
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
