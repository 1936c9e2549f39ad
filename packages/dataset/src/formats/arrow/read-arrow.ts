import { type FileHandle, open } from 'node:fs/promises';
import {
  type AsyncRecordBatchFileReader,
  type Data,
  type DataType,
  type Field,
  type RecordBatch,
  RecordBatchReader,
  type Schema,
  type StructRow,
  Table,
  Type,
  Vector,
} from 'apache-arrow';
import type { ArrowField, ArrowType } from '@data-designer/core';
import { JSON_MARK } from '../../encode/arrow-schema.ts';
import type { ByteRange } from '../../repair/checksums.ts';
import { orDamaged } from '../../repair/damaged-file.ts';
import { type PlainRow, rowDecoder } from '../../encode/decode-row.ts';
import type { RowStretch } from '../../read/row-stretch.ts';

const MAGIC = 'ARROW1';
/** A file ends with the length of its footer and the magic word. */
const END_BYTES = 4 + MAGIC.length;

/** A record batch and the bytes in which it stands. */
interface StoredBatch {
  readonly batch: RecordBatch;
  readonly block: ByteRange;
}

/** The record batches of an Arrow IPC file on disk, one in memory at a time; `dataset/damaged` if it cannot be read. */
export async function* arrowBatches(
  path: string,
  { isWanted = () => true }: { readonly isWanted?: (block: ByteRange) => boolean } = {},
): AsyncGenerator<StoredBatch> {
  await using file = await orDamaged(path, () => open(path, 'r'));
  const { reader, blocks } = await orDamaged(path, () => openArrow(file));
  for (const [index, block] of blocks.entries()) {
    if (!isWanted(block)) continue;
    yield await orDamaged(path, async () => {
      const batch = await reader.readRecordBatch(index);
      // The reader takes a batch that it cannot find for the end.
      if (!batch) throw new Error(`it has no record batch ${index}, of the ${blocks.length} that it should have`);
      refuseGarbage(batch, block.to - block.from);
      return { batch, block };
    });
  }
}

/** Refuses lengths and offsets that lead out of a record batch, which the reader would follow until memory ends. */
function refuseGarbage({ schema, data }: RecordBatch, bytes: number): void {
  for (const [index, { name, nullable }] of schema.fields.entries()) {
    const column = data.children[index];
    const isSound = column && isWithin(column, bytes) && column.length >= data.length;
    if (!isSound || (!nullable && column.nullCount > 0)) throw new Error(`its column '${name}' is garbage`);
  }
}

function isWithin({ length, children, valueOffsets, values }: Data, bytes: number): boolean {
  // A row takes a bit at least.
  if (length < 0 || length > bytes * 8 || !children.every((child) => isWithin(child, bytes))) return false;
  if (!(valueOffsets instanceof Int32Array) || length === 0) return true;
  const end = children[0]?.length ?? (values as Uint8Array).length;
  let before = 0;
  for (let row = 0; row <= length; row++) {
    const offset = valueOffsets[row];
    if (offset === undefined || offset < before || offset > end) return false;
    before = offset;
  }
  return true;
}

/** Where the record batches of an Arrow IPC file stand; `dataset/damaged` if it cannot be read. */
export async function arrowBlocks(path: string): Promise<readonly ByteRange[]> {
  return orDamaged(path, async () => {
    await using file = await open(path, 'r');
    return (await openArrow(file)).blocks;
  });
}

async function openArrow(
  file: FileHandle,
): Promise<{ readonly reader: AsyncRecordBatchFileReader; readonly blocks: readonly ByteRange[] }> {
  await refuseCut(file);
  const { size } = await file.stat();
  const reader = (await RecordBatchReader.from(file)) as AsyncRecordBatchFileReader;
  await reader.open({ autoDestroy: false });
  const blocks = Array.from(reader.footer?.recordBatches() ?? [], ({ offset, metaDataLength, bodyLength }) => {
    const block = { from: offset, to: offset + metaDataLength + bodyLength };
    if (block.from < MAGIC.length || block.to > size) throw new Error('its footer is garbage');
    return block;
  });
  return { reader, blocks };
}

/** The same as tables. */
export async function* arrowTables(path: string): AsyncGenerator<Table> {
  for await (const { batch } of arrowBatches(path)) yield new Table(batch);
}

/** A record batch of an Arrow IPC file, and why it cannot be read, where it cannot. */
interface TriedBatch {
  readonly block: ByteRange;
  readonly rows: number;
  readonly failure: unknown;
}

/** Reads all rows of an Arrow IPC file, a batch in memory at a time; `dataset/damaged` if not even its footer can be read. */
export async function tryBatches(path: string): Promise<readonly TriedBatch[]> {
  const read: TriedBatch[] = [];
  for (const block of await arrowBlocks(path)) {
    try {
      for await (const { batch } of arrowBatches(path, { isWanted: ({ from }) => from === block.from })) {
        const { length: rows } = await tableRows(new Table(batch), path);
        read.push({ block, rows, failure: undefined });
      }
    } catch (failure) {
      read.push({ block, rows: 0, failure });
    }
  }
  return read;
}

/** How many rows an Arrow IPC file has; `dataset/damaged` if it cannot be read. */
export async function countArrowRows(path: string): Promise<number> {
  let rows = 0;
  for await (const { batch } of arrowBatches(path)) rows += batch.numRows;
  return rows;
}

/** The record batch of an Arrow IPC file that holds the row at a position, as `readRowGroup` gives it. */
export async function readRecordBatch(path: string, position: number): Promise<RowStretch | undefined> {
  let first = 0;
  for await (const table of arrowTables(path)) {
    if (position < first + table.numRows) return { first, rows: await tableRows(table, path) };
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

/** The rows of a table of a file; `dataset/damaged` if a value cannot be read. */
export function tableRows(table: Table, path: string): Promise<readonly PlainRow[]> {
  return orDamaged(path, () => Promise.resolve([...arrowRows(table)]));
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
