import { createHash } from 'node:crypto';
import { Float, stringifyJson } from '@data-designer/core';

/** SHA-256 over a value's JSON with sorted keys, so that the order in which keys were written does not matter. */
export function fingerprint(value: unknown): string {
  return `sha256:${createHash('sha256')
    .update(stringifyJson(sorted(value)))
    .digest('hex')}`;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Float) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  );
}
