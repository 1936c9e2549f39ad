import { Float } from '@data-designer/core';
import { typeFault } from './fault.ts';
import type { Meter } from './meter.ts';
import { typeName } from './type-name.ts';
import { TemplateObject, type Value } from './value.ts';

/** A stand-in for a value under which a `Map` finds it as Python's `dict` does: `1`, `1.0` and `True` are one key. */
export function hashKey(value: Value, meter: Meter): unknown {
  meter.charge(1);
  // Long keys of one length share a hash, and are compared in full.
  if (typeof value === 'string' && value.length > 16)
    meter.charge(value.length > 10_000 ? value.length : value.length / 16);
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof Float) return Number.isSafeInteger(value.value) ? value.value : BigInt(value.value);
  const hash = value instanceof TemplateObject ? value.hash(meter) : value;
  if (hash === null || typeof hash !== 'object' || hash instanceof TemplateObject) return hash;
  return typeFault(`unhashable type: '${typeName(value)}'`);
}
