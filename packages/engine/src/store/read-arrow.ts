import { open, readFile } from 'node:fs/promises';
import { type ArrowField, type ArrowType, DataDesignerError } from '@data-designer/core';
import {
  type DataType,
  type Field,
  RecordBatchReader,
  type Schema,
  type StructRow,
  Table,
  tableFromIPC,
  Type,
  Vector,
} from 'apache-arrow';
import { JSON_MARK } from './arrow-schema.ts';
import { type PlainRow, rowDecoder } from './decode-row.ts';

/** A table from an Arrow IPC file on disk; `dataset/damaged` if it cannot be read. */
export async function readArrowFile(path: string): Promise<Table> {
  try {
    return tableFromIPC(await readFile(path));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataDesignerError('dataset/damaged', { path, reason }, { cause: error });
  }
}

/** The record batches of an Arrow IPC file on disk, one in memory at a time; `dataset/damaged` if it cannot be read. */
export async function* arrowTables(path: string): AsyncGenerator<Table> {
  try {
    await using file = await open(path, 'r');
    const reader = await RecordBatchReader.from(file);
    for await (const batch of reader) yield new Table(batch);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataDesignerError('dataset/damaged', { path, reason }, { cause: error });
  }
}

/** The rows of an Arrow table as plain records. */
export function* arrowRows(table: Table): Generator<PlainRow> {
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
