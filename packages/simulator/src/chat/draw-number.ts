import type { Random } from '@data-designer/core';
import type { Schema } from './resolve-schema.ts';

const SPAN = 100;
const DECIMALS = 100;

/** Draws a number within the bounds of a schema and a multiple of its `multipleOf`; with two decimals where free. */
export function drawNumber(schema: Schema, type: 'number' | 'integer', random: Random): number {
  const step = typeof schema['multipleOf'] === 'number' ? schema['multipleOf'] : type === 'integer' ? 1 : 1 / DECIMALS;
  const [low, high] = boundsOf(schema);
  const first = firstStep(schema, low, step);
  const last = lastStep(schema, high, step);
  if (last < first) return type === 'integer' ? Math.ceil(low) : (low + high) / 2;
  return tidy((first + random.below(last - first + 1)) * step);
}

function boundsOf(schema: Schema): readonly [low: number, high: number] {
  const low = Math.max(bound(schema['minimum'], -Infinity), bound(schema['exclusiveMinimum'], -Infinity));
  const high = Math.min(bound(schema['maximum'], Infinity), bound(schema['exclusiveMaximum'], Infinity));
  if (low === -Infinity) return high === Infinity ? [0, SPAN] : [Math.min(0, high - SPAN), high];
  return [low, high === Infinity ? low + SPAN : high];
}

function firstStep(schema: Schema, low: number, step: number): number {
  const first = Math.ceil(tidy(low / step));
  return schema['exclusiveMinimum'] === low && tidy(first * step) <= low ? first + 1 : first;
}

function lastStep(schema: Schema, high: number, step: number): number {
  const last = Math.floor(tidy(high / step));
  return schema['exclusiveMaximum'] === high && tidy(last * step) >= high ? last - 1 : last;
}

function bound(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** Takes off the last bits that binary fractions leave, so that 0.1 * 3 is 0.3. */
function tidy(value: number): number {
  return Number(value.toPrecision(15));
}
