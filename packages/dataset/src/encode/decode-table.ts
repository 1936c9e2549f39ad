import { type DataType, type Field, type Schema, type StructRow, type Table, Type, Vector } from 'apache-arrow';
import type { ArrowField, ArrowType } from '@data-designer/core';
import { JSON_MARK } from './arrow-schema.ts';
import { type PlainRow, rowDecoder } from './decode-row.ts';

/** The rows of an Arrow table as plain records. */
export function* tableRows(table: Table): Generator<PlainRow> {
  const decode = rowDecoder(fieldsOf(table.schema));
  const columns = table.schema.fields.map(({ name }, index) => [name, table.getChildAt(index)] as const);
  for (let row = 0; row < table.numRows; row++) {
    yield decode(Object.fromEntries(columns.map(([name, column]) => [name, plain(column?.get(row))])));
  }
}

/** The plain-data form of an Arrow schema, JSON marks included. */
function fieldsOf(schema: Schema): ArrowField[] {
  return schema.fields.map(fieldOf);
}

function fieldOf({ name, type, nullable, metadata }: Field): ArrowField {
  const plainType = typeOf(type);
  return metadata.has(JSON_MARK)
    ? { name, type: plainType, nullable, json: true }
    : { name, type: plainType, nullable };
}

function typeOf(type: DataType): ArrowType {
  switch (type.typeId) {
    case Type.Bool:
      return 'bool';
    case Type.Int:
      return 'int64';
    case Type.Float:
      return 'float64';
    case Type.List:
      return { list: typeOf((type.children[0] as Field).type) };
    case Type.Struct:
      return { struct: type.children.map(fieldOf) };
    default:
      return 'utf8';
  }
}

/** Arrow's views of lists and structs as arrays and objects. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Vector) return Array.from(value, plain);
  return Object.fromEntries(Object.entries((value as StructRow).toJSON()).map(([name, part]) => [name, plain(part)]));
}
