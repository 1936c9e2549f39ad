import { Float } from '@data-designer/core';

/**
 * Boxes integral floats beyond 2^53 in a part of a plan: JSON would write them as integers and read them as `bigint`.
 * A part without any is returned unchanged.
 */
export function withLargeFloats<Part>(part: Part): Part {
  return boxed(part) as Part;
}

function boxed(value: unknown): unknown {
  if (typeof value === 'number') {
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? new Float(value) : value;
  }
  if (typeof value !== 'object' || value === null || value instanceof Float) return value;
  const entries = Object.entries(value);
  const changed = entries.map(([key, member]) => [key, boxed(member)] as const);
  if (changed.every(([, member], index) => member === entries[index]?.[1])) return value;
  return Array.isArray(value) ? changed.map(([, member]) => member) : Object.fromEntries(changed);
}
