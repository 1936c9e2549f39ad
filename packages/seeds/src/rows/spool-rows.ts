import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { type ArrowField, stringifyJson } from '@data-designer/core';
import { storedFields } from '../tables/stored-fields.ts';
import { TableWriter } from '../tables/table-writer.ts';
import { type NoData, RowTypes } from '../arrow/arrow-of-rows.ts';
import { keptValue, type Row, takenUpValue } from './serializable-row.ts';
import { storedValue } from '../tables/stored-value.ts';

/** Rows of a program that were read to their end and stand in a Parquet file, under stored names. */
export interface SpooledRows {
  readonly path: string;
  readonly fields: readonly ArrowField[];
  readonly rows: number;
  readonly sha256: string;
}

/** Rows that broke off: how many came, and what was thrown then. */
export interface BrokenRows {
  readonly after: number;
  readonly reason: string;
}

/** Rows are kept until their types are known in chunks of this many. */
const CHUNK_ROWS = 512;
/** A row group ends with so many rows, or so many bytes of chunks. */
const GROUP_ROWS = 10_240;
const GROUP_BYTES = 16 * 1024 * 1024;

/**
 * Reads rows to their end, once, a chunk at a time in memory, into a Parquet file in a folder: first as they come, then,
 * when the types of all are known, typed. Gives the first value that is no data, or where the rows broke off, instead.
 */
export async function spoolRows(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  { folder, name, signal }: { readonly folder: string; readonly name: string; readonly signal: AbortSignal },
): Promise<SpooledRows | NoData | BrokenRows> {
  const raw = join(folder, `${name}.raw`);
  const types = new RowTypes();
  try {
    const kept = await keepRows(rows, raw, { types, signal });
    if (typeof kept !== 'string') return kept;
    const path = join(folder, `${name}.parquet`);
    const fields = types.fields();
    if (fields.length > 0) await writeRows(path, fields, keptGroups(raw));
    return { path, fields, rows: types.rows, sha256: kept };
  } finally {
    await rm(raw, { force: true });
  }
}

/** Writes rows down as they come; gives the hash of all of them. */
async function keepRows(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  path: string,
  { types, signal }: { readonly types: RowTypes; readonly signal: AbortSignal },
): Promise<string | NoData | BrokenRows> {
  await using file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let chunk: Row[] = [];
  try {
    for await (const row of rows) {
      signal.throwIfAborted();
      const noData = types.look(row);
      if (noData) return noData;
      hash.update(`${stringifyJson(row)}\n`);
      chunk.push(keptValue(row as Row));
      if (chunk.length < CHUNK_ROWS) continue;
      await writeChunk(file, chunk);
      chunk = [];
    }
  } catch (thrown) {
    signal.throwIfAborted();
    return { after: types.rows, reason: thrown instanceof Error ? thrown.message : String(thrown) };
  }
  await writeChunk(file, chunk);
  return hash.digest('hex');
}

async function writeChunk(file: FileHandle, rows: readonly Row[]): Promise<void> {
  const bytes = serialize(rows);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  await file.writev([length, bytes]);
}

/** Writes rows, a row group of them at a time, as a Parquet file under stored names. */
export async function writeRows(
  path: string,
  fields: readonly ArrowField[],
  groups: Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>,
): Promise<void> {
  const stored = storedFields(fields);
  using writer = new TableWriter(path, stored, { isPacked: false });
  const columns = fields.map((field, index) => {
    const convert = storedValue(field, stored[index] as ArrowField);
    return (row: Row) => (Object.hasOwn(row, field.name) ? convert(row[field.name]) : null);
  });
  for await (const rows of groups) writer.write(columns.map((valueIn) => rows.map(valueIn)));
  writer.finish();
}

/** The rows of a file of chunks, as many at a time as make a row group. */
async function* keptGroups(path: string): AsyncGenerator<readonly Row[]> {
  await using file = await open(path);
  const length = Buffer.alloc(4);
  let rows: Row[] = [];
  let bytes = 0;
  while ((await file.read(length, 0, 4)).bytesRead === 4) {
    const chunk = Buffer.alloc(length.readUInt32LE());
    await file.read(chunk, 0, chunk.length);
    rows = rows.concat((deserialize(chunk) as readonly Row[]).map(takenUpValue));
    bytes += chunk.length;
    if (rows.length < GROUP_ROWS && bytes < GROUP_BYTES) continue;
    yield rows;
    rows = [];
    bytes = 0;
  }
  if (rows.length > 0) yield rows;
}
