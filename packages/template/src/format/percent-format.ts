import { Float } from '@data-designer/core';
import { mapItem, mapOf, Range, Tuple } from '../value/collections.ts';
import { typeFault } from '../fault.ts';
import { textOf, typeName } from '../value/inspect.ts';
import { escapeHtml, Markup } from '../value/markup.ts';
import type { Meter } from '../value/meter.ts';
import { index, isFloat, numeric, plain } from '../value/number.ts';
import { repr, str } from '../value/print.ts';
import { characters } from '../value/code-points.ts';
import { Undefined } from '../value/undefined.ts';
import { isList, type Value } from '../value/value.ts';
import { floatText, formatCost } from './float-text.ts';
import { characterOf } from './format-value.ts';

const FIELD = /%(?:\(([^()]*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?[hlL]?([^]?)/gu;

interface Field {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly conversion: string;
}

/** The values to format, read in order or by name. */
class FormatArguments {
  readonly #values: readonly Value[];
  readonly #source: Value;
  #next = 0;

  constructor(source: Value) {
    this.#source = source;
    this.#values = source instanceof Tuple ? source.values : [source];
  }

  next(): Value {
    const value = this.#values[this.#next++];
    return value ?? (value === null ? null : typeFault('not enough arguments for format string'));
  }

  named(name: string, meter: Meter): Value {
    const map = mapOf(this.#source);
    const found = map === undefined ? undefined : mapItem(map, name, meter);
    return found === undefined ? typeFault(`format requires a mapping with the key '${name}'`) : found;
  }

  number(): number {
    const value = this.next();
    return typeof value === 'number' && Number.isInteger(value) ? value : typeFault('* wants int');
  }

  finish(): void {
    const source = this.#source;
    const isExempt = source instanceof Range || source instanceof Undefined || isList(source);
    if (isExempt || mapOf(source) !== undefined || this.#next >= this.#values.length) return;
    typeFault('not all arguments converted during string formatting');
  }
}

/** Python's `text % values`. */
export function formatPercent(format: string | Markup, values: Value, meter: Meter): Value {
  const supplied = new FormatArguments(values);
  const html = format instanceof Markup;
  let length = 0;
  const text = (html ? format.text : format).replace(FIELD, (_all, ...groups: (string | undefined)[]) => {
    const piece = convert(readField(groups, supplied), { values: supplied, name: groups[0], meter, html });
    length += piece.length;
    meter.charge(15);
    meter.chargeText(length);
    return piece;
  });
  supplied.finish();
  meter.chargeText(text.length);
  return html ? new Markup(text) : text;
}

function readField(groups: readonly (string | undefined)[], values: FormatArguments): Field {
  const [, flags = '', width, precision, conversion = ''] = groups;
  const given = (text: string | undefined): number | undefined =>
    text === undefined ? undefined : text === '*' ? values.number() : Number(text);
  const wide = given(width) ?? 0;
  const point = conversion !== '' && precision === undefined ? undefined : given(precision);
  return { flags: wide < 0 ? `${flags}-` : flags, width: Math.abs(wide), precision: point, conversion };
}

interface Source {
  readonly values: FormatArguments;
  readonly name: string | undefined;
  readonly meter: Meter;
  readonly html: boolean;
}

function convert(field: Field, source: Source): string {
  const { conversion } = field;
  if (conversion === '%') return '%';
  if (!'diuoxXeEfFgGcrsa'.includes(conversion) || conversion === '')
    typeFault('unsupported or incomplete format character');
  const { values, name, meter } = source;
  meter.chargeText(field.width + (field.precision ?? 0));
  const value = name === undefined ? values.next() : values.named(name, meter);
  if ('csra'.includes(conversion)) return aligned(textPiece(value, field, source), field);
  if (value instanceof Undefined && !'oxX'.includes(conversion)) value.fail();
  const number =
    numeric(value) ?? typeFault(`%${conversion} format: a real number is required, not ${typeName(value)}`);
  meter.charge(formatCost(plain(number), field.precision));
  if ('eEfFgG'.includes(conversion)) return signedPiece(floatPiece(plain(number), field), plain(number), field);
  if (isFloat(number) && 'oxX'.includes(conversion))
    typeFault(`%${conversion} format: an integer is required, not float`);
  if (typeof number === 'bigint') meter.chargeDigits(number);
  const whole = wholeOf(number);
  return signedPiece(integerPiece(whole, field), Number(whole), field);
}

function wholeOf(number: number | bigint | Float): bigint {
  if (typeof number === 'bigint') return number;
  const value = plain(number);
  return Number.isFinite(value) ? BigInt(Math.trunc(value)) : typeFault('cannot convert float to integer');
}

function textPiece(value: Value, field: Field, source: Source): string {
  const { meter, html } = source;
  if (field.conversion === 'c') return character(value);
  const plainText = field.conversion === 's' ? str(value, meter) : repr(value, meter);
  const text = html && !(value instanceof Markup) ? escapeHtml(plainText) : plainText;
  return field.precision === undefined ? text : characters(text, meter).slice(0, field.precision).join('');
}

function character(value: Value): string {
  const text = textOf(value);
  if (text !== undefined)
    return text.length <= 2 && Array.from(text).length === 1 ? text : typeFault('%c requires int or char');
  const code = index(value) ?? typeFault('%c requires int or char');
  return characterOf(code, '%c');
}

function integerPiece(value: bigint, field: Field): string {
  const { flags, precision = 0, conversion } = field;
  const radix = { o: 8, x: 16, X: 16 }[conversion] ?? 10;
  const digits = (value < 0n ? -value : value).toString(radix).padStart(precision, '0');
  const prefix = flags.includes('#') && radix !== 10 ? `0${conversion}` : '';
  return prefix + (conversion === 'X' ? digits.toUpperCase() : digits);
}

function floatPiece(value: number, field: Field): string {
  const { flags, precision = 6, conversion } = field;
  const kind = conversion.toLowerCase();
  const text = floatText(value, kind, { precision, keepZeros: flags.includes('#') });
  return kind === conversion ? text : text.toUpperCase();
}

function signedPiece(digits: string, value: number, field: Field): string {
  const { flags, width } = field;
  const negative = value < 0 || Object.is(value, -0);
  const sign = negative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const zeros = flags.includes('0') && !flags.includes('-') && Number.isFinite(value);
  return aligned(sign + (zeros ? digits.padStart(width - sign.length, '0') : digits), field);
}

function aligned(text: string, field: Field): string {
  const missing = field.width === 0 ? '' : ' '.repeat(Math.max(0, field.width - Array.from(text).length));
  return field.flags.includes('-') ? text + missing : missing + text;
}
