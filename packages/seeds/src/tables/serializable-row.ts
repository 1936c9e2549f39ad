import { isMapping } from '@data-designer/config';
import { Float } from '@data-designer/core';

/** The key of a `Float`'s number in the map that stands for it. */
const FLOAT = 'float';

/** A copy of data for `v8.serialize`, which loses classes: a `Float` becomes a `Map`, which rows never hold. */
export function toSerializable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Float) return new Map([[FLOAT, value.value]]);
  if (Array.isArray(value)) return value.map(toSerializable);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toSerializable(part)]));
}

/** Restores data that `toSerializable` gave, in place. */
export function fromSerializable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Map) return new Float(Number(value.get(FLOAT)));
  if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => {
      if (typeof item === 'object') value[index] = fromSerializable(item);
    });
    return value;
  }
  if (!isMapping(value)) return value;
  for (const [key, part] of Object.entries(value)) {
    if (typeof part !== 'object' || part === null) continue;
    const restored = fromSerializable(part);
    // Assigning to a key named __proto__ would set the prototype.
    Object.defineProperty(value, key, { value: restored, enumerable: true, writable: true, configurable: true });
  }
  return value;
}
