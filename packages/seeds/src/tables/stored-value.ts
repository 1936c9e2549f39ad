import type { ArrowField, ArrowType } from '@data-designer/core';
import { isMapping } from '@data-designer/config';

type Convert = (value: unknown) => unknown;

/**
 * Turns a value of a row in memory into the one that its field stores: dates and integers beyond 64 bits as text,
 * members under their stored names. `stored` is the same field as `storedFields` gives it.
 */
export function storedValue(field: ArrowField, stored: ArrowField): Convert {
  // The writer makes the JSON text.
  return field.json === true ? (value) => value : valueOf(field.type, stored.type);
}

function valueOf(type: ArrowType, stored: ArrowType): Convert {
  if (type === 'utf8') return textOf;
  if (typeof type === 'string' || typeof stored === 'string') return (value) => value;
  if ('list' in type && 'list' in stored) {
    const convert = valueOf(type.list, stored.list);
    return (value) => (Array.isArray(value) ? value.map(convert) : value);
  }
  if (!('struct' in type && 'struct' in stored)) return (value) => value;
  const members = type.struct.map((member, index) => {
    const target = stored.struct[index] as ArrowField;
    return { name: member.name, stored: target.name, convert: storedValue(member, target) };
  });
  return (value) => {
    if (!isMapping(value)) return value;
    return Object.fromEntries(
      members.map(({ name, stored: key, convert }) => [key, Object.hasOwn(value, name) ? convert(value[name]) : null]),
    );
  };
}

function textOf(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'bigint' ? String(value) : value;
}
