import { DataDesignerError } from '@data-designer/core';

/** The types to which an expression can be cast. */
export type Dtype = 'int' | 'float' | 'str' | 'bool';

/** Python's float literals: digits with single underscores between them. */
const FLOAT = /^[+-]?(?:(?:\d+(?:_\d+)*)(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i;
const INTEGER = /^[+-]?\d+(?:_\d+)*$/;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;
const NOT_A_NUMBER = /^[+-]?nan$/i;

/** The exclusive upper bound of 64-bit integers, which integer columns store. */
export const INT64_BOUND = 2 ** 63;
const INT64_END = 2n ** 63n;

/** Casts rendered text by the reference tool's rules (config.md 2.6); throws `template/record` if it cannot be cast. */
export function cast(text: string, dtype: Dtype): string | number | bigint | boolean {
  if (dtype === 'str') return text;
  const number = readFloat(text);
  if (dtype === 'bool') return number === undefined || Number.isNaN(number) ? isTrue(text) : truth(number, text);
  if (number === undefined) throw notCast(text, dtype);
  return dtype === 'float' ? number : truncated(number, text);
}

/** A number as Python's `float()` reads it, undefined for other text. */
export function readFloat(text: string): number | undefined {
  const trimmed = text.trim();
  if (FLOAT.test(trimmed)) return Number(trimmed.replaceAll('_', ''));
  const infinite = INFINITE.exec(trimmed);
  if (infinite) return infinite[1] === '-' ? -Infinity : Infinity;
  return NOT_A_NUMBER.test(trimmed) ? NaN : undefined;
}

function truncated(number: number, text: string): number | bigint {
  const integer = Math.trunc(number);
  if (Number.isSafeInteger(integer)) return integer === 0 ? 0 : integer;
  const exact = exactInteger(text.trim()) ?? (Number.isFinite(integer) ? BigInt(integer) : undefined);
  if (exact === undefined || exact < -INT64_END || exact >= INT64_END) throw notCast(text, 'int');
  return exact;
}

/** An integer literal with all its digits, as NeMo Data Designer reads it since 0.10.0; undefined for other text. */
function exactInteger(text: string): bigint | undefined {
  return INTEGER.test(text) ? BigInt(text.replace(/^\+/, '').replaceAll('_', '')) : undefined;
}

/** Text that is no number is true only when it says so. */
function isTrue(text: string): boolean {
  return text.toLowerCase() === 'true';
}

/** A number is true when its integer part is not 0; an infinite one has none. */
function truth(number: number, text: string): boolean {
  if (!Number.isFinite(number)) throw notCast(text, 'bool');
  return Math.trunc(number) !== 0;
}

function notCast(text: string, dtype: Dtype): DataDesignerError {
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
  return new DataDesignerError('template/record', { reason: `its result ${shown} cannot be converted to ${dtype}` });
}
