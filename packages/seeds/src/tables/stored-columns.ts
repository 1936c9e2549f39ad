import { type ArrowField, type ArrowType, cellField } from '@data-designer/core';
import { isMapping } from '@data-designer/config';
import { storedFields } from './stored-fields.ts';

type Convert = (value: unknown) => unknown;

/** A column of rows in memory, the field that stores it in a file, and how its values are converted for that. */
export interface StoredColumn {
  readonly name: string;
  readonly stored: ArrowField;
  /** Dates and integers beyond 64 bits become text; members take their stored names. */
  readonly convert: Convert;
}

/** How columns of rows in memory are stored in a file. */
export function storedColumns(fields: readonly ArrowField[]): readonly StoredColumn[] {
  const storedAs = storedFields(fields);
  return fields.map((field, index) => {
    const stored = storedAs[index] ?? field;
    return { name: field.name, stored, convert: converter(cellField(field), stored) };
  });
}

function converter(field: ArrowField, stored: ArrowField): Convert {
  // The writer turns these values into JSON text.
  return field.json === true ? (value) => value : typeConverter(field.type, stored.type);
}

function typeConverter(type: ArrowType, stored: ArrowType): Convert {
  if (type === 'utf8') return textOf;
  if (typeof type === 'string' || typeof stored === 'string') return (value) => value;
  if ('list' in type && 'list' in stored) {
    const convert = typeConverter(type.list, stored.list);
    return (value) => (Array.isArray(value) ? value.map(convert) : value);
  }
  if (!('struct' in type && 'struct' in stored)) return (value) => value;
  const members = type.struct.map((member, index) => {
    const target = stored.struct[index] ?? member;
    return { name: member.name, key: target.name, convert: converter(member, target) };
  });
  return (value) => {
    if (!isMapping(value)) return value;
    return Object.fromEntries(
      members.map(({ name, key, convert }) => [key, Object.hasOwn(value, name) ? convert(value[name]) : null]),
    );
  };
}

function textOf(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'bigint' ? String(value) : value;
}
