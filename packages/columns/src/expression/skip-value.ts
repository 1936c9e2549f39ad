import { Float, printFloat } from '@data-designer/core';
import { type Dtype, readFloat } from './cast.ts';

/** The values of a skip rule, apart from null. */
export type SkipValue = string | boolean | number | bigint | Float;

/** Python's integers in text: digits with single underscores between them. */
const INTEGER = /^[+-]?\d+(?:_\d+)*$/;

/** Casts a skip value as Python's constructors do (config.md 8), boxing integral floats; undefined if impossible. */
export function castSkipValue(value: SkipValue, dtype: Dtype): SkipValue | undefined {
  switch (dtype) {
    case 'str':
      return asText(value);
    case 'bool':
      return isTrue(value);
    case 'int':
      return asInteger(value);
    case 'float':
      return asFloat(value);
  }
}

function asText(value: SkipValue): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return printFloat(value);
  return String(value);
}

function isTrue(value: SkipValue): boolean {
  if (typeof value === 'string') return value !== '';
  return typeof value === 'bigint' ? value !== 0n : Number(value) !== 0;
}

function asInteger(value: SkipValue): boolean | number | bigint | undefined {
  // A boolean is an integer in Python, and stays as it is.
  if (typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return sized(value);
  if (typeof value === 'string') {
    const text = value.trim();
    return INTEGER.test(text) ? sized(BigInt(text.replaceAll('_', ''))) : undefined;
  }
  const whole = Math.trunc(Number(value));
  return Number.isFinite(whole) ? sized(BigInt(whole)) : undefined;
}

/** An integer as a number where that is exact. */
function sized(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function asFloat(value: SkipValue): number | Float | undefined {
  const number = typeof value === 'string' ? readFloat(value) : Number(value);
  if (number === undefined || (typeof value === 'bigint' && !Number.isFinite(number))) return undefined;
  return Number.isInteger(number) ? new Float(number) : number;
}
