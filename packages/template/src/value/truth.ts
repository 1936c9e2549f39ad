import { Float } from '@data-designer/core';
import type { Meter } from './meter.ts';
import { TemplateObject, type Value } from './value.ts';

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
