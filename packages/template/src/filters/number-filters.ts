import { Float } from '@data-designer/core';
import { scaledRound } from '../format/float-text.ts';
import { builtin, type Builtin, type Implementation } from '../value/callable.ts';
import { limitFault, typeFault } from '../fault.ts';
import { textOf, typeName } from '../value/inspect.ts';
import { comparable, float, integer, isFloat, numeric, plain, whole } from '../value/number.ts';
import { OPERATIONS } from '../operators.ts';
import { Undefined } from '../value/undefined.ts';
import type { Value } from '../value/value.ts';
import { integerArgument } from './text-filters.ts';

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';
const PREFIXES: Readonly<Record<string, number>> = { '0b': 2, '0o': 8, '0x': 16 };
const FLOAT_TEXT = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;
const FLOAT_WORD = /^([+-]?)(?:(inf|infinity)|nan)$/i;

function readDigits(digits: string, radix: number): bigint | undefined {
  if (Array.from(digits).some((digit) => DIGITS.indexOf(digit) >= radix)) return undefined;
  if (radix === 10) return BigInt(digits);
  return Array.from(digits).reduce((value, digit) => value * BigInt(radix) + BigInt(DIGITS.indexOf(digit)), 0n);
}

/** Python's `int(text, base)`; undefined if the text is no integer. */
function readPythonInteger(text: string, base: number): number | bigint | undefined {
  const match = /^([+-]?)(0[box])?(_?[0-9a-z]+(?:_[0-9a-z]+)*)$/i.exec(text.trim());
  if (match === null) return undefined;
  const [, sign = '', prefix, digits = ''] = match;
  const prefixBase = prefix === undefined ? undefined : PREFIXES[prefix.toLowerCase()];
  const usesPrefix = prefixBase !== undefined && (base === prefixBase || base === 0);
  const radix = base === 0 ? (prefixBase ?? 10) : base;
  const body = (usesPrefix ? digits : (prefix ?? '') + digits).toLowerCase();
  if (body.startsWith('_') && !usesPrefix) return undefined;
  const plainDigits = body.replaceAll('_', '');
  const value = readDigits(plainDigits, radix);
  if (value === undefined) return undefined;
  return integer(sign === '-' ? -value : value);
}

/** Python's `float(text)`; undefined if the text is no number. */
export function readPythonFloat(text: string): number | undefined {
  const trimmed = text.trim();
  const word = FLOAT_WORD.exec(trimmed);
  if (word !== null) return word[2] === undefined ? NaN : word[1] === '-' ? -Infinity : Infinity;
  return FLOAT_TEXT.test(trimmed) ? Number(trimmed.replaceAll('_', '')) : undefined;
}

const toInteger: Implementation<Value> = (self, [otherwise = 0, base], meter) => {
  if (self instanceof Undefined) return self.fail();
  const text = textOf(self);
  if (text !== undefined) {
    const other = base !== undefined && base !== 10;
    meter.charge(5 + (text.length * text.length) / (other ? 50 : 500));
    const read = text.length > 4300 ? undefined : readPythonInteger(text, integerArgument(base, 10));
    return read ?? truncated(readPythonFloat(text)) ?? otherwise;
  }
  const number = numeric(self);
  if (number === undefined) return otherwise;
  if (!isFloat(number)) return number;
  const value = plain(number);
  if (Math.abs(value) === Infinity) typeFault('cannot convert float infinity to integer');
  return truncated(value) ?? otherwise;
};

function truncated(value: number | undefined): number | bigint | undefined {
  return value === undefined || !Number.isFinite(value) ? undefined : integer(BigInt(Math.trunc(value)));
}

const toFloat: Implementation<Value> = (self, [otherwise = new Float(0)], meter) => {
  if (self instanceof Undefined) return self.fail();
  const text = textOf(self);
  meter.charge(2 + (text?.length ?? 0) / 3);
  const number = text === undefined ? numeric(self) : readPythonFloat(text);
  if (number === undefined) return otherwise;
  const value = plain(number);
  if (typeof number === 'bigint' && !Number.isFinite(value)) typeFault('int too large to convert to float');
  return float(value);
};

/** The most digits that `round` may keep or cut. */
const MAX_DECIMALS = 400;

const round: Implementation<Value> = (self, given, meter) => {
  const decimals = integerArgument(given[0], 0);
  meter.charge(10 + 2 * Math.abs(decimals));
  const method = given[1] === undefined ? 'common' : textOf(given[1]);
  if (Math.abs(decimals) > MAX_DECIMALS) limitFault('decimals of the filter round', MAX_DECIMALS);
  if (method !== 'common' && method !== 'ceil' && method !== 'floor') {
    typeFault('method must be common, ceil or floor');
  }
  if (self instanceof Undefined && method !== 'common') return self.fail();
  const number = numeric(self) ?? typeFault(`type ${typeName(self)} doesn't define __round__ method`);
  const int = whole(number);
  if (method === 'common') return int === undefined ? roundFloat(plain(number), decimals) : roundInteger(int, decimals);
  const factor = OPERATIONS['**'](10, decimals, meter);
  const scaled = plain(numeric(OPERATIONS['*'](number, factor, meter)) ?? NaN);
  if (!Number.isFinite(scaled)) typeFault('cannot convert float to integer');
  return OPERATIONS['/'](integer(BigInt(Math[method](scaled))), factor, meter);
};

/** Python's `round` of a float: half to even on the exact binary value. */
function roundFloat(value: number, decimals: number): Value {
  if (!Number.isFinite(value) || decimals > 323) return value;
  const digits = scaledRound(value, decimals);
  const size = Number(`${digits}e${-decimals}`);
  return float(value < 0 || Object.is(value, -0) ? -size : size);
}

function roundInteger(value: number | bigint, decimals: number): Value {
  if (decimals >= 0) return value;
  const unit = 10n ** BigInt(-decimals);
  const exact = BigInt(value);
  const rest = ((exact % unit) + unit) % unit;
  const down = exact - rest;
  const up = rest * 2n > unit || (rest * 2n === unit && (down / unit) % 2n !== 0n);
  return integer(up ? down + unit : down);
}

function absolute(self: Value): Value {
  const number = numeric(self) ?? typeFault(`bad operand type for abs(): '${typeName(self)}'`);
  if (number instanceof Float) return new Float(Math.abs(number.value));
  if (typeof number === 'bigint') return number < 0n ? -number : number;
  return Math.abs(Number(comparable(number)));
}

/** The filters on numbers for both modes. */
export const NUMBER_FILTERS: readonly Builtin<Value>[] = [
  builtin('abs()', absolute),
  builtin('int(default?, base?)', toInteger),
  builtin('float(default?)', toFloat),
  builtin('round(precision?, method?)', round),
];
