import { type FileHandle, open } from 'node:fs/promises';
import { MAX_DEPTH } from './json-depth.ts';

/** The schema is at the start of the footer; a longer one has more columns than any table. */
const MAX_SCHEMA_BYTES = 16 * 1024 * 1024;

const MAGIC = 'PAR1';

/** Deepest nesting of skipped structs: no real footer comes near. */
const MAX_SKIPPED = 64;

/** The types of Thrift's compact protocol that footers use. */
const TYPE = {
  stop: 0,
  true: 1,
  false: 2,
  byte: 3,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
};

/** A position in a footer. */
interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

/**
 * Whether a Parquet file nests columns deeper than `MAX_DEPTH`, which crashes DuckDB. Throws a `RangeError` for a torn
 * schema; DuckDB reports other files that are not Parquet.
 */
export async function isParquetTooDeep(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const footer = await startOfFooter(handle);
    return footer !== undefined && depthOf({ bytes: footer, at: 0 }) > MAX_DEPTH;
  } finally {
    await handle.close();
  }
}

async function startOfFooter(handle: FileHandle): Promise<Buffer | undefined> {
  const { size } = await handle.stat();
  if (size < 12) return undefined;
  const tail = Buffer.alloc(8);
  await handle.read(tail, 0, 8, size - 8);
  const length = tail.readUInt32LE(0);
  if (tail.toString('latin1', 4) !== MAGIC || length > size - 12) return undefined;
  const footer = Buffer.alloc(Math.min(length, MAX_SCHEMA_BYTES));
  await handle.read(footer, 0, footer.length, size - 8 - length);
  return footer;
}

/** The depth of the schema tree, which a footer lists with parents before children. */
function depthOf(cursor: Cursor): number {
  let deepest = 0;
  for (const [id, type] of fieldsOf(cursor)) {
    if (id !== 2 || type !== TYPE.list) {
      skip(cursor, type, 0);
      continue;
    }
    const left: number[] = [];
    for (let elements = listHeader(cursor).size; elements > 0; elements--) {
      while (left.at(-1) === 0) left.pop();
      const parent = left.pop();
      if (parent !== undefined) left.push(parent - 1);
      left.push(childrenOf(cursor));
      deepest = Math.max(deepest, left.length);
    }
    return deepest;
  }
  return deepest;
}

/** The number of children that a schema element declares. */
function childrenOf(cursor: Cursor): number {
  let children = 0;
  for (const [id, type] of fieldsOf(cursor)) {
    if (id !== 5) skip(cursor, type, 0);
    else children = Math.max(0, signed(varint(cursor)));
  }
  return children;
}

/** The fields of a struct, up to its end; the caller reads or skips the value of each. */
function* fieldsOf(cursor: Cursor): Generator<readonly [id: number, type: number]> {
  let id = 0;
  for (;;) {
    const header = byte(cursor);
    if (header === TYPE.stop) return;
    id = header >> 4 === 0 ? signed(varint(cursor)) : id + (header >> 4);
    yield [id, header & 15];
  }
}

function listHeader(cursor: Cursor): { readonly size: number; readonly type: number } {
  const header = byte(cursor);
  return { size: header >> 4 === 15 ? varint(cursor) : header >> 4, type: header & 15 };
}

function skip(cursor: Cursor, type: number, depth: number): void {
  if (depth > MAX_SKIPPED) throw new RangeError('its footer is damaged');
  if (type === TYPE.byte) cursor.at += 1;
  else if (type > TYPE.byte && type <= TYPE.i64) varint(cursor);
  else if (type === TYPE.double) cursor.at += 8;
  else if (type === TYPE.binary) skipBytes(cursor, varint(cursor));
  else if (type === TYPE.struct) for (const [, inner] of fieldsOf(cursor)) skip(cursor, inner, depth + 1);
  else if (type === TYPE.list || type === TYPE.set) skipList(cursor, depth);
  else if (type === TYPE.map) skipMap(cursor, depth);
  else if (type !== TYPE.true && type !== TYPE.false) throw new RangeError('its footer is damaged');
}

function skipBytes(cursor: Cursor, count: number): void {
  cursor.at += count;
}

function skipList(cursor: Cursor, depth: number): void {
  const { size, type } = listHeader(cursor);
  for (let left = size; left > 0; left--) skip(cursor, asElement(type), depth + 1);
}

function skipMap(cursor: Cursor, depth: number): void {
  const size = varint(cursor);
  if (size === 0) return;
  const types = byte(cursor);
  for (let left = size; left > 0; left--) {
    skip(cursor, asElement(types >> 4), depth + 1);
    skip(cursor, asElement(types & 15), depth + 1);
  }
}

/** A boolean is part of a field's type, but takes a byte in a list. */
function asElement(type: number): number {
  return type === TYPE.true || type === TYPE.false ? TYPE.byte : type;
}

function byte(cursor: Cursor): number {
  const value = cursor.bytes[cursor.at++];
  if (value === undefined) throw new RangeError('its footer is damaged');
  return value;
}

function varint(cursor: Cursor): number {
  let value = 0;
  for (let factor = 1; ; factor *= 128) {
    const next = byte(cursor);
    value += (next & 127) * factor;
    if (next < 128) return value;
  }
}

function signed(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
