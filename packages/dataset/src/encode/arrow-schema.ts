import { Bool, type DataType, Field, Float64, Int64, List, Null, Schema, Struct, Utf8 } from 'apache-arrow';
import { type ArrowField, type ArrowScalar, type ArrowType, JSON_MARK } from '@data-designer/core';

const PRIMITIVES = {
  bool: () => new Bool(),
  int64: () => new Int64(),
  float64: () => new Float64(),
  utf8: () => new Utf8(),
  null: () => new Null(),
} as const satisfies Record<ArrowScalar, () => DataType>;

/** The Arrow schema of a table; field metadata marks JSON text. */
export function arrowSchema(fields: readonly ArrowField[]): Schema {
  return new Schema(fields.map(arrowField));
}

/** One field of an Arrow schema. */
export function arrowField({ name, type, nullable, json }: ArrowField): Field {
  return new Field(name, arrowType(type), nullable, json === true ? new Map([[JSON_MARK, 'true']]) : undefined);
}

function arrowType(type: ArrowType): DataType {
  if (typeof type === 'string') return PRIMITIVES[type]();
  if ('list' in type) return new List(listItem(type.list));
  return new Struct(type.struct.map(arrowField));
}

/** The nullable field of a list's items. */
export function listItem(type: ArrowType): Field {
  return arrowField({ name: 'item', type, nullable: true });
}
