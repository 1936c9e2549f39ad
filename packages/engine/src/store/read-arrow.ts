import { type FileHandle, open } from 'node:fs/promises';
import type { ArrowField, ArrowType } from '@data-designer/core';
import {
  type DataType,
  type Field,
  RecordBatchReader,
  type Schema,
  type StructRow,
  Table,
  Type,
  Vector,
} from 'apache-arrow';
import { JSON_MARK } from './arrow-schema.ts';
import { damagedFile } from './damaged-file.ts';
import { type PlainRow, rowDecoder } from './decode-row.ts';
import type { RowStretch } from './row-stretch.ts';

const MAGIC = 'ARROW1';
/** A file ends with the length of its footer and the magic word. */
const END_BYTES = 4 + MAGIC.length;

/** The record batches of an Arrow IPC file on disk, one in memory at a time; `dataset/damaged` if it cannot be read. */
export async function* arrowTables(path: string): AsyncGenerator<Table> {
  try {
    await using file = await open(path, 'r');
    await refuseCut(file);
    const reader = await RecordBatchReader.from(file);
    let batches = 0;
    for await (const batch of reader) {
      batches++;
      yield new Table(batch);
    }
    // The reader takes a batch that it cannot find for the end.
    const wanted = reader.footer?.numRecordBatches ?? 0;
    if (batches < wanted) throw new Error(`it has ${batches} of its ${wanted} record batches`);
  } catch (thrown) {
    throw damagedFile(path, thrown);
  }
}

/** How many rows an Arrow IPC file has; `dataset/damaged` if it cannot be read. */
export async function countArrowRows(path: string): Promise<number> {
  let rows = 0;
  for await (const { numRows } of arrowTables(path)) rows += numRows;
  return rows;
}

/** The record batch of an Arrow IPC file that holds the row at a position, as `readRowGroup` gives it. */
export async function readRecordBatch(path: string, position: number): Promise<RowStretch | undefined> {
  let first = 0;
  for await (const table of arrowTables(path)) {
    if (position < first + table.numRows) return { first, rows: [...arrowRows(table)] };
    first += table.numRows;
  }
  return undefined;
}

/** Refuses what the reader would take for a stream that holds nothing, or would look for far outside of the file. */
async function refuseCut(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  if (size === 0) throw new Error('it is empty');
  const begin = await bytesAt(file, 0);
  if (begin.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error('it is no Arrow file');
  const end = await bytesAt(file, Math.max(0, size - END_BYTES));
  if (end.toString('latin1', END_BYTES - MAGIC.length) !== MAGIC) throw new Error('it is cut off: its end is missing');
  const footerBytes = end.readInt32LE(0);
  if (footerBytes <= 0 || footerBytes > size - END_BYTES) throw new Error('its footer is garbage');
}

async function bytesAt(file: FileHandle, position: number): Promise<Buffer> {
  const { buffer } = await file.read(Buffer.alloc(END_BYTES), 0, END_BYTES, position);
  return buffer;
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
