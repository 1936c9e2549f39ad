import type { SchemaElement } from 'hyparquet';
import type { ArrowField, ArrowScalar, ArrowType, LogicalType } from '@data-designer/core';

/** The metadata key with the fields as JSON text, which tells readers the columns that hold JSON. */
export const FIELDS_KEY = 'data-designer:fields';

const PRIMITIVES = {
  bool: { type: 'BOOLEAN' },
  int64: { type: 'INT64' },
  float64: { type: 'DOUBLE' },
  utf8: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  null: { type: 'INT32', logical_type: { type: 'NULL' } },
} as const satisfies Record<ArrowScalar, Partial<SchemaElement>>;

const UNITS = { ms: 'MILLIS', us: 'MICROS', ns: 'NANOS' } as const;

function logicalElement(type: LogicalType): Partial<SchemaElement> {
  switch (type.logical) {
    case 'date':
      return { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } };
    case 'time':
      return { type: 'INT64', logical_type: { type: 'TIME', isAdjustedToUTC: false, unit: UNITS[type.unit] } };
    case 'timestamp':
      return {
        type: 'INT64',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: type.zoned, unit: UNITS[type.unit] },
      };
    case 'decimal': {
      const { precision, scale } = type;
      const logical_type = { type: 'DECIMAL', precision, scale } as const;
      return { type: 'INT64', converted_type: 'DECIMAL', precision, scale, logical_type };
    }
  }
}

interface ElementContext {
  readonly repetition: 'REQUIRED' | 'OPTIONAL';
  /** The path of a nested type, for error messages. */
  readonly path: string;
}

/** The Parquet schema of a table, every group before its members. */
export function parquetSchema(fields: readonly ArrowField[]): SchemaElement[] {
  return [
    { name: 'root', num_children: fields.length },
    ...fields.flatMap((field) => fieldElements(field, field.name)),
  ];
}

function fieldElements({ name, type, nullable }: ArrowField, path: string): SchemaElement[] {
  return typeElements(name, type, { repetition: nullable ? 'OPTIONAL' : 'REQUIRED', path });
}

function typeElements(name: string, type: ArrowType, context: ElementContext): SchemaElement[] {
  const repetition_type = context.repetition;
  if (typeof type === 'string') return [{ name, repetition_type, ...PRIMITIVES[type] }];
  if ('logical' in type) return [{ name, repetition_type, ...logicalElement(type) }];
  if ('list' in type) {
    return [
      { name, repetition_type, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...typeElements('element', type.list, { repetition: 'OPTIONAL', path: `${context.path}[]` }),
    ];
  }
  if (type.struct.length === 0) {
    throw new TypeError(`Column '${context.path}' is a struct without fields, which Parquet cannot store.`);
  }
  const members = type.struct.flatMap((member) => fieldElements(member, `${context.path}.${member.name}`));
  return [{ name, repetition_type, num_children: type.struct.length }, ...members];
}
