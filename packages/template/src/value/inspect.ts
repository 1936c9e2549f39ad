import { Float } from '@data-designer/core';
import { typeFault } from '../fault.ts';
import { Markup } from './markup.ts';
import type { Meter } from './meter.ts';
import { characters, textLength } from './code-points.ts';
import { isList, type PlainMap, TemplateObject, type Value } from './value.ts';

/** The text of a string or of HTML; undefined for other values. */
export function textOf(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof Markup ? value.text : undefined;
}

/** The value if it is a map from a record, else undefined. */
export function plainMap(value: Value): PlainMap | undefined {
  if (typeof value !== 'object' || value === null || isList(value)) return undefined;
  return value instanceof TemplateObject || value instanceof Float ? undefined : value;
}

/** The items a value iterates over; undefined if Python cannot iterate it. */
export function itemsOf(value: Value, meter: Meter): readonly Value[] | undefined {
  if (isList(value)) return value;
  const text = textOf(value);
  if (text !== undefined) {
    meter.chargeItems(text.length);
    return characters(text, meter);
  }
  if (value instanceof TemplateObject) {
    const items = value.items(meter);
    return items === undefined || isList(items) ? items : Array.from(items);
  }
  const map = plainMap(value);
  return map === undefined ? undefined : meter.keysOf(map);
}

/** The items a value iterates over; ends the render if Python cannot iterate it. */
export function iterate(value: Value, meter: Meter): readonly Value[] {
  return itemsOf(value, meter) ?? typeFault(`'${typeName(value)}' object is not iterable`);
}

/** The two values of a pair; ends the render of `caller` for any other value. */
export function pairOf(value: Value, caller: string, meter: Meter): readonly [Value, Value] {
  const items = iterate(value, meter);
  const [first, second] = items;
  if (first === undefined || second === undefined || items.length > 2) return typeFault(`${caller} needs pairs`);
  return [first, second];
}

/** Python's `len`; undefined if a value has no length. */
export function sizeOf(value: Value, meter: Meter): number | undefined {
  if (isList(value)) return value.length;
  const text = textOf(value);
  if (text !== undefined) return textLength(text, meter);
  if (value instanceof TemplateObject) return value.size();
  const map = plainMap(value);
  return map === undefined ? undefined : meter.keysOf(map).length;
}

/** Python's `bool`: empty texts, lists and maps, zeros and None are false; NaN is true. */
export function truthy(value: Value, meter: Meter): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return value !== '';
  if (typeof value === 'number') return value !== 0;
  if (typeof value === 'bigint') return value !== 0n;
  if (value === null) return false;
  if (value instanceof TemplateObject) return value.truthy();
  if (value instanceof Float) return value.value !== 0;
  return Array.isArray(value) ? value.length > 0 : meter.keysOf(value).length > 0;
}

/** Python's name of a value's type, for messages. */
export function typeName(value: Value): string {
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int' : 'float';
  if (value === null) return 'NoneType';
  if (value instanceof Float) return 'float';
  if (value instanceof TemplateObject) return value.typeName;
  return Array.isArray(value) ? 'list' : 'dict';
}
