import { createHash } from 'node:crypto';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { isMapping, type Mapping } from '@data-designer/config';
import { type ArrowField, messageOf, stringifyJson } from '@data-designer/core';
import { GROUP_BYTES, GROUP_ROWS, TableWriter } from '../tables/table-writer.ts';
import { type UnstorableValue, RowTypes } from '../arrow/arrow-of-rows.ts';
import { bytesAsText } from '../arrow/bytes-as-text.ts';
import { fromSerializable, toSerializable } from '../tables/serializable-row.ts';
import { storedColumns } from '../tables/stored-columns.ts';

/** Rows of a program in a Parquet file, under their stored names. */
export interface SpooledRows {
  readonly path: string;
  readonly fields: readonly ArrowField[];
  readonly rows: number;
  /** The mean size of a row; absent without columns. */
  readonly rowBytes: number | undefined;
  readonly sha256: string;
}

/** An iterator that threw: how many rows it gave before, and why it threw. */
export interface BrokenRows {
  readonly after: number;
  readonly reason: string;
}

/** Until all types are known, rows are stored in chunks of this many. */
const CHUNK_ROWS = 512;

/**
 * Reads rows to their end, once, into a Parquet file in a folder, with a chunk in memory at a time: first into a raw
 * file, then, once the types of all rows are known, into typed columns. Gives a value that cannot be stored, or where
 * the iterator threw, instead.
 */
export async function spoolRows(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  { folder, name, signal }: { readonly folder: string; readonly name: string; readonly signal: AbortSignal },
): Promise<SpooledRows | UnstorableValue | BrokenRows> {
  const raw = join(folder, `${name}.raw`);
  const types = new RowTypes();
  try {
    const sha256 = await writeRaw(rows, raw, { types, signal });
    if (typeof sha256 !== 'string') return sha256;
    const path = join(folder, `${name}.parquet`);
    const fields = types.fields();
    if (fields.length > 0) await writeRows(path, fields, rawGroups(raw));
    const rowBytes = fields.length > 0 ? (await stat(path)).size / types.rows : undefined;
    return { path, fields, rows: types.rows, rowBytes, sha256 };
  } finally {
    await rm(raw, { force: true });
  }
}

/** Writes rows to a raw file as they come; gives the hash of all of them. */
async function writeRaw(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  path: string,
  { types, signal }: { readonly types: RowTypes; readonly signal: AbortSignal },
): Promise<string | UnstorableValue | BrokenRows> {
  await using file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let chunk: unknown[] = [];
  try {
    for await (const row of rows) {
      signal.throwIfAborted();
      const unstorable = types.add(row);
      if (unstorable) return unstorable;
      const stored = bytesAsText(row);
      hash.update(`${stringifyJson(stored)}\n`);
      // A copy: the program may change the row later.
      chunk.push(toSerializable(stored));
      if (chunk.length < CHUNK_ROWS) continue;
      await writeChunk(file, chunk);
      chunk = [];
    }
  } catch (thrown) {
    signal.throwIfAborted();
    return { after: types.rows, reason: messageOf(thrown) };
  }
  await writeChunk(file, chunk);
  return hash.digest('hex');
}

async function writeChunk(file: FileHandle, rows: readonly unknown[]): Promise<void> {
  const bytes = serialize(rows);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  await file.writev([length, bytes]);
}

/** Writes rows, one group at a time, to a Parquet file under their stored names. */
export async function writeRows(
  path: string,
  fields: readonly ArrowField[],
  groups: Iterable<readonly Mapping[]> | AsyncIterable<readonly Mapping[]>,
): Promise<void> {
  const columns = storedColumns(fields);
  const storedAs = columns.map(({ stored }) => stored);
  using writer = new TableWriter(path, storedAs, { isPacked: false });
  for await (const rows of groups) {
    writer.write(
      columns.map(({ name, convert }) => rows.map((row) => (Object.hasOwn(row, name) ? convert(row[name]) : null))),
    );
  }
  writer.finish();
}

/** The rows of a raw file, in groups of about the size of a row group. */
async function* rawGroups(path: string): AsyncGenerator<readonly Mapping[]> {
  await using file = await open(path);
  const length = Buffer.alloc(4);
  let rows: Mapping[] = [];
  let bytes = 0;
  while ((await file.read(length, 0, 4)).bytesRead === 4) {
    const chunk = Buffer.alloc(length.readUInt32LE());
    await file.read(chunk, 0, chunk.length);
    const restored = fromSerializable(deserialize(chunk));
    if (Array.isArray(restored)) rows = rows.concat(restored.filter(isMapping));
    bytes += chunk.length;
    if (rows.length < GROUP_ROWS && bytes < GROUP_BYTES) continue;
    yield rows;
    rows = [];
    bytes = 0;
  }
  if (rows.length > 0) yield rows;
}

/** Why rows cannot be used, in words. */
export function unusableReason(unusable: UnstorableValue | BrokenRows): string {
  if ('after' in unusable)
    return `reading the rows failed after ${unusable.after} rows: ${unusable.reason.replace(/\.$/, '')}`;
  const { row, column, what } = unusable;
  return column === undefined
    ? `row ${row} is ${what}, not a mapping`
    : `row ${row} has ${what} in '${column}', which cannot be stored`;
}
