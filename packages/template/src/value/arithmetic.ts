import { Float } from '@data-designer/core';
import type { BinaryOperator } from '../syntax/tree.ts';
import { Fault, limitFault, typeFault } from '../fault.ts';
import type { Meter } from './meter.ts';
import { float, integer, type Numeric, plain, whole } from './number.ts';
import type { Value } from './value.ts';

/** The largest integer, in bits. */
const MAX_BITS = 100_000;

/** Python's arithmetic on two numbers: integers of any size, and floats stay floats. */
export function calculate(operator: BinaryOperator, numbers: readonly [Numeric, Numeric], meter: Meter): Value {
  const [a, b] = numbers;
  const x = whole(a);
  const y = whole(b);
  if (typeof x === 'bigint' || typeof y === 'bigint')
    meter.charge(20 + (bits(BigInt(x ?? 0)) + bits(BigInt(y ?? 0))) / 40);
  if (x === undefined || y === undefined) return float(ON_FLOATS[operator](toFloat(a), toFloat(b)));
  if (operator === '/') return divide(x, y);
  if (typeof x === 'number' && typeof y === 'number') {
    const small = withSmall(operator, x, y);
    if (small !== undefined) return small;
  }
  return withLarge(operator, [BigInt(x), BigInt(y)], meter);
}

function toFloat(value: Numeric): number {
  const result = plain(value);
  if (typeof value === 'bigint' && !Number.isFinite(result)) typeFault('int too large to convert to float');
  return result;
}

const ON_SMALL: { readonly [Sign in BinaryOperator]?: (a: number, b: number) => number } = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '//': (a, b) => (Math.abs(a) > 2 ** 50 ? NaN : Math.floor(a / nonZero(b))),
  '%': (a, b) => {
    const rest = a % nonZero(b);
    return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
  },
};

/** Calculates with safe integers; undefined if the result is not safe. */
function withSmall(operator: BinaryOperator, a: number, b: number): Value | undefined {
  const result = ON_SMALL[operator]?.(a, b);
  // `+ 0` turns -0 into 0.
  return result !== undefined && Number.isSafeInteger(result) ? result + 0 : undefined;
}

function nonZero<Amount extends number | bigint>(divisor: Amount): Amount {
  if (Number(divisor) === 0) throw new Fault('zero-division', 'division by zero');
  return divisor;
}

function bits(value: bigint): number {
  return value.toString(16).length * 4;
}

function withLarge(operator: Exclude<BinaryOperator, '/'>, numbers: readonly [bigint, bigint], meter: Meter): Value {
  const [a, b] = numbers;
  if (operator === '**') return power(a, b, meter);
  const size = bits(a) + bits(b);
  if (size > (operator === '*' ? MAX_BITS : 2 * MAX_BITS)) limitFault('bits of an integer', MAX_BITS);
  meter.charge(1 + (bits(a) * bits(b)) / 100_000);
  return integer(ON_LARGE[operator](a, b));
}

const ON_LARGE: { readonly [Sign in Exclude<BinaryOperator, '**' | '/'>]: (a: bigint, b: bigint) => bigint } = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '//': (a, b) => (a % nonZero(b) !== 0n && a < 0n !== b < 0n ? a / b - 1n : a / b),
  '%': (a, b) => {
    const rest = a % nonZero(b);
    return rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest;
  },
};

function power(base: bigint, exponent: bigint, meter: Meter): Value {
  if (exponent < 0n) return float(floatPower(toFloat(base), toFloat(exponent)));
  if (base >= -1n && base <= 1n)
    return integer(base ** (exponent === 0n ? 0n : base === -1n ? 2n - (exponent % 2n) : 1n));
  const size = bits(base) * Number(exponent);
  if (size > MAX_BITS) limitFault('bits of an integer', MAX_BITS);
  meter.charge(1 + (size * size) / 1_000_000);
  return integer(base ** exponent);
}

/** True division of integers, rounded once. */
function divide(a: number | bigint, b: number | bigint): Value {
  nonZero(b);
  if (typeof a === 'number' && typeof b === 'number') return float(a / b);
  const [x, y] = [BigInt(a), BigInt(b)];
  const shift = Math.max(0, 70 - bits(x) + bits(y));
  const scaled = x << BigInt(shift);
  // The remainder still decides the direction of rounding.
  const sticky = scaled % y === 0n ? 0n : 1n;
  const quotient = ((scaled / y) << 1n) + (x < 0n !== y < 0n ? -sticky : sticky);
  const result = Number(quotient) / 2 / 2 ** Math.min(shift, 1000) / 2 ** Math.max(0, shift - 1000);
  if (!Number.isFinite(result)) typeFault('integer division result too large for a float');
  return float(result);
}

const ON_FLOATS: { readonly [Sign in BinaryOperator]: (a: number, b: number) => number } = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / nonZero(b),
  '//': (a, b) => floorDivision(a, nonZero(b)),
  '%': (a, b) => remainder(a, nonZero(b)),
  '**': floatPower,
};

function remainder(a: number, b: number): number {
  const rest = a % b;
  if (rest === 0) return b < 0 ? -0 : 0;
  return rest < 0 === b < 0 ? rest : rest + b;
}

function floorDivision(a: number, b: number): number {
  const rest = remainder(a, b);
  const quotient = (a - rest) / b;
  if (quotient === 0) return Math.sign(a / b) * 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

function floatPower(a: number, b: number): number {
  if (a === 1 || b === 0) return 1;
  if (a === -1 && !Number.isFinite(b) && !Number.isNaN(b)) return 1;
  if (a === 0 && b < 0) throw new Fault('zero-division', '0.0 cannot be raised to a negative power');
  if (a < 0 && Number.isFinite(a) && Number.isFinite(b) && !Number.isInteger(b))
    typeFault('complex numbers are not supported');
  const result = a ** b;
  if (!Number.isFinite(result) && Number.isFinite(a) && Number.isFinite(b)) typeFault('Numerical result out of range');
  return result;
}

/** Changes the sign of a number. */
export function negate(value: Numeric): Value {
  if (value instanceof Float) return new Float(-value.value);
  return typeof value === 'bigint' ? integer(-value) : Number.isSafeInteger(value) ? 0 - value : -value;
}
