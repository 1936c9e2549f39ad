import type { SchemaElement } from 'hyparquet';
import type { ArrowField, ArrowType } from '@data-designer/core';

/** The key of the file's metadata under which the fields stand as JSON, so that a reader knows which text is JSON. */
export const FIELDS_KEY = 'data-designer:fields';

const PRIMITIVES = {
  bool: { type: 'BOOLEAN' },
  int64: { type: 'INT64' },
  float64: { type: 'DOUBLE' },
  utf8: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
} as const satisfies Record<Extract<ArrowType, string>, Partial<SchemaElement>>;

interface ElementContext {
  readonly repetition: 'REQUIRED' | 'OPTIONAL';
  /** The way to a nested type, for error messages. */
  readonly path: string;
}

/** The Parquet schema of a table, in the order Parquet wants: every group before its members. */
export function parquetSchema(fields: readonly ArrowField[]): SchemaElement[] {
  return [
    { name: 'root', num_children: fields.length },
    ...fields.flatMap((field) => fieldElements(field, field.name)),
  ];
}

function fieldElements({ name, type, nullable }: ArrowField, path: string): SchemaElement[] {
  return typeElements(name, type, { repetition: nullable ? 'OPTIONAL' : 'REQUIRED', path });
}

function typeElements(name: string, type: ArrowType, place: ElementContext): SchemaElement[] {
  const repetition_type = place.repetition;
  if (typeof type === 'string') return [{ name, repetition_type, ...PRIMITIVES[type] }];
  if ('list' in type) {
    return [
      { name, repetition_type, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...typeElements('element', type.list, { repetition: 'OPTIONAL', path: `${place.path}[]` }),
    ];
  }
  if (type.struct.length === 0) {
    throw new TypeError(`Column '${place.path}' is a struct without members, which Parquet cannot hold.`);
  }
  const members = type.struct.flatMap((member) => fieldElements(member, `${place.path}.${member.name}`));
  return [{ name, repetition_type, num_children: type.struct.length }, ...members];
}
