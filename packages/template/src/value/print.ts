import { type CellValue, Float, printFloat } from '@data-designer/core';
import { FILTER_NAMES } from '../syntax/builtin-names.ts';
import { typeFault } from '../fault.ts';
import { Markup } from './markup.ts';
import { Meter } from './meter.ts';
import { Undefined } from './undefined.ts';
import { quote } from '../quote.ts';
import { isList, TemplateObject, type Value } from './value.ts';

/** Python refuses to print longer integers. */
const MAX_DIGITS = 4300;
const LARGEST_PRINTED = 10n ** BigInt(MAX_DIGITS);

/** Python's `str`. */
export function str(value: Value, meter: Meter): string {
  if (typeof value === 'string') return value;
  if (value instanceof Markup) return value.text;
  if (value instanceof Undefined) {
    value.failIfStrict();
    return '';
  }
  return repr(value, meter);
}

/** Python's `str` of a cell, outside any template. */
export function pythonText(value: CellValue): string {
  return str(value, new Meter({ strictUndefined: false, keyFirst: false, filters: FILTER_NAMES }));
}

/** Python's `repr`: strings in quotes. */
export function repr(value: Value, meter: Meter): string {
  if (typeof value === 'string') {
    meter.chargeText(value.length);
    meter.charge(6 + value.length / 2);
    return quote(value);
  }
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : printFloat(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'bigint' ? printBigInt(value, meter) : reprObject(value, meter);
}

function reprObject(value: Exclude<Value, string | number | boolean | bigint>, meter: Meter): string {
  if (value === null) return 'None';
  if (value instanceof Float) return value.toString();
  meter.charge(8);
  if (value instanceof TemplateObject) return meter.deeper(() => value.print(meter));
  if (isList(value)) return `[${printAll(value, meter)}]`;
  return meter.deeper(() => {
    const pairs: string[] = [];
    for (const key of meter.keysOf(value)) {
      const text = `${quote(key)}: ${repr(value[key] ?? null, meter)}`;
      meter.charge(14 + key.length / 2);
      meter.chargeText(text.length);
      pairs.push(text);
    }
    return `{${pairs.join(', ')}}`;
  });
}

/** Writes items as `repr` does, separated by commas. */
export function printAll(values: readonly Value[], meter: Meter): string {
  return meter.deeper(() => {
    const texts: string[] = [];
    let length = 0;
    for (const value of values) {
      const text = repr(value, meter);
      length += text.length + 2;
      meter.charge(6 + text.length / 16);
      texts.push(text);
    }
    meter.chargeText(length);
    return texts.join(', ');
  });
}

function printBigInt(value: bigint, meter: Meter): string {
  if (value >= LARGEST_PRINTED || value <= -LARGEST_PRINTED) {
    typeFault(`an integer of more than ${MAX_DIGITS} digits cannot be printed`);
  }
  meter.chargeDigits(value);
  return String(value);
}
