import { countCharacters, printFloat } from '@data-designer/core';
import { securityFault, typeFault } from '../fault.ts';
import { textOf, typeName } from '../value/inspect.ts';
import type { Meter } from '../value/meter.ts';
import { type Numeric, numeric, plain, whole } from '../value/number.ts';
import { str } from '../value/print.ts';
import { characters } from '../value/code-points.ts';
import type { Value } from '../value/value.ts';
import { fixedText, floatText, formatCost, generalText } from './float-text.ts';

const SPEC = /^(?:([^])?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/u;

interface Spec {
  readonly fill: string;
  readonly align: string | undefined;
  readonly sign: string;
  readonly alternate: boolean;
  readonly width: number;
  readonly grouping: string | undefined;
  readonly precision: number | undefined;
  readonly type: string | undefined;
}

function readSpec(text: string): Spec {
  const match = SPEC.exec(text) ?? typeFault(`Invalid format specifier '${text}'`);
  const [, fill, align, sign = '-', , alternate, zero, width, grouping, precision, type] = match;
  return {
    fill: fill ?? (zero === undefined || align !== undefined ? ' ' : '0'),
    align: align ?? (zero === undefined ? undefined : '='),
    sign,
    alternate: alternate !== undefined,
    width: Number(width ?? 0),
    grouping,
    precision: precision === undefined ? undefined : Number(precision),
    type,
  };
}

/** Python's `format(value, spec)`. */
export function formatValue(value: Value, text: string, meter: Meter): string {
  if (text === '') return str(value, meter);
  const spec = readSpec(text);
  meter.chargeText(spec.width + (spec.precision ?? 0));
  const number = numeric(value);
  meter.charge(number === undefined ? 30 : formatCost(plain(number), spec.precision));
  if (typeof number === 'bigint') meter.chargeDigits(number);
  if (number !== undefined) return formatNumber(number, spec);
  const plainText = textOf(value);
  if (plainText === undefined) typeFault(`unsupported format string passed to ${typeName(value)}.__format__`);
  if (spec.type !== undefined && spec.type !== 's')
    typeFault(`Unknown format code '${spec.type}' for object of type 'str'`);
  if (spec.grouping !== undefined) typeFault(`Cannot specify '${spec.grouping}' with 's'.`);
  if (spec.align === '=' && spec.fill !== '0') typeFault("'=' alignment not allowed in string format specifier");
  const cut = spec.precision === undefined ? plainText : characters(plainText, meter).slice(0, spec.precision).join('');
  meter.charge(cut.length / 2);
  return aligned(cut, spec, spec.align === '=' ? '<' : (spec.align ?? '<'));
}

function aligned(text: string, spec: Spec, align: string): string {
  const missing = Math.max(0, spec.width - countCharacters(text));
  const before = align === '<' ? 0 : align === '^' ? Math.floor(missing / 2) : missing;
  return spec.fill.repeat(before) + text + spec.fill.repeat(missing - before);
}

function formatNumber(number: Numeric, spec: Spec): string {
  const { type } = spec;
  const int = type !== undefined && 'eEfFgG%'.includes(type) ? undefined : whole(number);
  if (int === undefined) return withSign(floatDigits(number, spec), isNegative(plain(number)), spec);
  if (type === 'c') return aligned(characterOf(Number(int), "'c'"), spec, spec.align ?? '<');
  return withSign(integerDigits(BigInt(int), spec), int < 0, spec);
}

function isNegative(value: number): boolean {
  return value < 0 || Object.is(value, -0);
}

/** The character of a code point; `conversion` names the format in the error. */
export function characterOf(code: number, conversion: string): string {
  return code >= 0 && code <= 0x10ffff
    ? String.fromCodePoint(code)
    : securityFault(`${conversion} with a number that is no code point`);
}

const RADIX: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16, X: 16, d: 10, n: 10 };

function integerDigits(value: bigint, spec: Spec): string {
  const { type = 'd', grouping, alternate, precision } = spec;
  const radix = RADIX[type];
  if (radix === undefined) typeFault(`Unknown format code '${type}' for object of type 'int'`);
  if (precision !== undefined) typeFault('Precision not allowed in integer format specifier');
  const digits = (value < 0n ? -value : value).toString(radix);
  const grouped = group(digits, grouping, radix === 10 ? 3 : 4);
  const prefix = alternate && radix !== 10 ? `0${type}` : '';
  return prefix + (type === 'X' ? grouped.toUpperCase() : grouped);
}

function floatDigits(number: Numeric, spec: Spec): string {
  const { type, precision, grouping, alternate } = spec;
  const value = plain(number);
  if (typeof number === 'bigint' && !Number.isFinite(value)) typeFault('int too large to convert to float');
  const kind = (type ?? '').toLowerCase();
  if (!'efg%n'.includes(kind)) typeFault(`Unknown format code '${type ?? ''}' for object of type 'float'`);
  let text: string;
  if (kind === '%' && Number.isFinite(value)) text = `${fixedText(value * 100, precision ?? 6)}%`;
  else if (kind === '' && Number.isFinite(value)) text = shortest(value, precision);
  else text = floatText(value, kind, { precision: precision ?? 6, keepZeros: alternate });
  const [, integral = '', rest = ''] = /^(\d*)([^]*)$/.exec(text) ?? [];
  const grouped = group(integral, grouping, 3) + rest;
  return type !== undefined && type !== kind ? grouped.toUpperCase() : grouped;
}

/** Formats a float without a type, which keeps at least one decimal. */
function shortest(value: number, precision: number | undefined): string {
  if (precision === undefined) return printFloat(Math.abs(value));
  const text = generalText(value, precision, false);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function group(digits: string, sign: string | undefined, size: number): string {
  if (sign === undefined) return digits;
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= size) groups.unshift(digits.slice(Math.max(0, end - size), end));
  return groups.join(sign);
}

function withSign(digits: string, negative: boolean, spec: Spec): string {
  const sign = negative ? '-' : spec.sign === '-' ? '' : spec.sign;
  if (spec.align !== '=') return aligned(sign + digits, spec, spec.align ?? '>');
  const prefix = /^0[box]/i.exec(digits)?.[0] ?? '';
  const rest = digits.slice(prefix.length);
  return sign + prefix + spec.fill.repeat(Math.max(0, spec.width - sign.length - digits.length)) + rest;
}
