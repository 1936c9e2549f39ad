import { Float } from '@data-designer/core';
import { typeFault } from './fault.ts';
import { Markup } from './markup.ts';
import type { Meter } from './meter.ts';
import { characters, textLength } from './code-points.ts';
import { typeName } from './type-name.ts';
import { type PlainMap, TemplateObject, type Value } from './value.ts';

/** The text of a string, marked as HTML or not; undefined for other values. */
export function textOf(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof Markup ? value.text : undefined;
}

/** A map as records hold it, or undefined. */
export function plainMap(value: Value): PlainMap | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value instanceof TemplateObject || value instanceof Float ? undefined : (value as PlainMap);
}

/** The items a value iterates over, or undefined where Python cannot iterate it. */
export function itemsOf(value: Value, meter: Meter): readonly Value[] | undefined {
  if (Array.isArray(value)) return value as readonly Value[];
  const text = textOf(value);
  if (text !== undefined) {
    meter.chargeItems(text.length);
    return characters(text, meter);
  }
  if (value instanceof TemplateObject) {
    const items = value.items(meter);
    return items === undefined || Array.isArray(items) ? items : Array.from(items);
  }
  const map = plainMap(value);
  return map === undefined ? undefined : meter.keysOf(map);
}

/** The items a value iterates over; ends the render where Python cannot iterate it. */
export function iterate(value: Value, meter: Meter): readonly Value[] {
  return itemsOf(value, meter) ?? typeFault(`'${typeName(value)}' object is not iterable`);
}

/** Python's `len`, or undefined where a value has no length. */
export function sizeOf(value: Value, meter: Meter): number | undefined {
  if (Array.isArray(value)) return value.length;
  const text = textOf(value);
  if (text !== undefined) return textLength(text, meter);
  if (value instanceof TemplateObject) return value.size();
  const map = plainMap(value);
  return map === undefined ? undefined : meter.keysOf(map).length;
}
