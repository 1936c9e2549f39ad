import { Float } from '@data-designer/core';

/** A value as scipy counts it, truths among the numbers; undefined for text, lists and the rest. */
export function numberOf(value: unknown): number | undefined {
  if (value instanceof Float) return value.value;
  return ['number', 'bigint', 'boolean'].includes(typeof value) ? Number(value) : undefined;
}
