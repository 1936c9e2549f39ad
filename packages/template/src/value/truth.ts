import { Float } from '@data-designer/core';
import type { Meter } from './meter.ts';
import { Thing, type Value } from './value.ts';

/** Python's `bool`: empty text, lists and maps, zeros and None are false; NaN is true. */
export function truthy(value: Value, meter: Meter): boolean {
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      return value !== '';
    case 'number':
      return value !== 0;
    case 'bigint':
      return value !== 0n;
    default:
      if (value === null) return false;
      if (value instanceof Thing) return value.truthy(meter);
      if (value instanceof Float) return value.value !== 0;
      if (Array.isArray(value)) return value.length > 0;
      return meter.keysOf(value).length > 0;
  }
}
