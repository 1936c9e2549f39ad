import { DataType, type Field, StructRow, type Table, Type, Vector } from 'apache-arrow';
import { type ArrowField, type ArrowType, JSON_MARK } from '@data-designer/core';

import { type PlainRow, rowDecoder } from './decode-row.ts';

/** The rows of an Arrow table as plain records. */
export function* tableRows(table: Table): Generator<PlainRow> {
  const decode = rowDecoder(table.schema.fields.map(fieldOf));
  const columns = table.schema.fields.map(({ name }, index) => [name, table.getChildAt(index)] as const);
  for (let row = 0; row < table.numRows; row++) {
    yield decode(Object.fromEntries(columns.map(([name, column]) => [name, plain(column?.get(row))])));
  }
}

/** The plain-data form of an Arrow field, with its JSON mark. */
function fieldOf({ name, type, nullable, metadata }: Field): ArrowField {
  const field: ArrowField = { name, type: typeOf(type), nullable };
  return metadata.has(JSON_MARK) ? { ...field, json: true } : field;
}

function typeOf(type: DataType): ArrowType {
  if (DataType.isList(type)) return { list: typeOf(type.valueType) };
  switch (type.typeId) {
    case Type.Null:
      return 'null';
    case Type.Bool:
      return 'bool';
    case Type.Int:
      return 'int64';
    case Type.Float:
      return 'float64';
    case Type.Struct:
      return { struct: type.children.map(fieldOf) };
    default:
      return 'utf8';
  }
}

/** Converts Arrow's views of lists and structs to arrays and objects. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Vector) return Array.from(value, plain);
  const members = value instanceof StructRow ? value.toJSON() : value;
  return Object.fromEntries(Object.entries(members).map(([name, part]) => [name, plain(part)]));
}
