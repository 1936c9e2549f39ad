import { type ArrowType, DataDesignerError, Float } from '@data-designer/core';
import type { Slots } from './slots.ts';

/** The error for a value that its column's type cannot hold: it names column, row of the batch, type and kind of value. */
export function misfit(slots: Slots, slot: number, type: ArrowType): DataDesignerError<'dataset/misfit'> {
  const found = kindOf(slots.values[slot]);
  const expected = printArrowType(type);
  return new DataDesignerError('dataset/misfit', { column: slots.name, row: slots.rowOf(slot), expected, found });
}

/** An Arrow type in a few words, as errors show it. */
function printArrowType(type: ArrowType): string {
  if (typeof type === 'string') return type;
  if ('list' in type) return `list<${printArrowType(type.list)}>`;
  return `struct<${type.struct.map(({ name }) => name).join(', ')}>`;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Float) return `the float ${String(value)}`;
  if (typeof value === 'number') return numberKind(value);
  if (typeof value === 'bigint') return `the integer ${excerpt(String(value))}`;
  if (typeof value === 'string') return `the text ${JSON.stringify(excerpt(value))}`;
  if (typeof value === 'boolean') return `the boolean ${value}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function numberKind(value: number): string {
  return Number.isInteger(value) ? `the integer ${value}` : `the float ${value}`;
}

function excerpt(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}
