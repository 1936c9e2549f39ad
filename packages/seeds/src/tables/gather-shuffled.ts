import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { type ArrowField, field } from '@data-designer/core';
import { countRows } from '@data-designer/dataset/parquet';
import { fromSerializable, toSerializable } from './serializable-row.ts';
import { quotedText } from '../duck-db/sql-text.ts';
import { withSpillingDuckDb } from '../duck-db/with-duck-db.ts';
import { type Copied, type Copy, copyOrdered } from './copy-ordered.ts';
import { shuffledIndexSql } from './ordered-sql.ts';
import { storedColumns } from './stored-columns.ts';
import { rowsInFile, type TableInFile } from './table-reader.ts';
import type { PrepareContext } from './table-source.ts';
import { TableWriter } from './table-writer.ts';

/** Rows are read this many at a time. */
const CHUNK_ROWS = 128;

/** A file of serialized rows, and the offset of each; the last offset is the file's end. */
interface Heap {
  readonly file: FileHandle;
  readonly starts: readonly number[];
}

/** Writes shuffled rows as `copyOrdered` would if they are too long to be sorted in memory: sorts only their indexes. */
export async function gatherShuffled(copy: Copy, context: PrepareContext): Promise<Copied> {
  const { fields } = copy.source;
  const own = join(context.scratch, 'own-order.parquet');
  const all = { ...copy.run, rows: Number.MAX_SAFE_INTEGER };
  const { rows, taken } = await copyOrdered(
    { ...copy, source: { ...copy.source, order: 'ordered' }, run: all, destination: own },
    context,
  );
  if (rows === 0) return { rows, taken };
  const stored = fields.slice(0, copy.table.columns.length);
  await using file = await open(join(context.scratch, 'rows.heap'), 'wx+', 0o600);
  const heap = { file, starts: await writeHeap(file, { path: own, fields: stored, rows }, context.signal) };
  await rm(own);
  const indexes = await writeIndexes(copy, rows, context);
  await rm(copy.destination, { force: true });
  const written = await writeGathered(heap, { indexes, fields: stored, destination: copy.destination }, context.signal);
  return { rows: written, taken };
}

async function writeHeap(file: FileHandle, table: TableInFile, signal: AbortSignal): Promise<number[]> {
  const starts = [0];
  for await (const row of rowsInFile(table, CHUNK_ROWS)) {
    signal.throwIfAborted();
    const bytes = serialize(toSerializable(row));
    await file.write(bytes);
    starts.push((starts.at(-1) ?? 0) + bytes.length);
  }
  return starts;
}

/** Writes the indexes of the rows in the order of the run. */
async function writeIndexes(
  { source, run }: Copy,
  count: number,
  { scratch, signal }: PrepareContext,
): Promise<TableInFile> {
  const path = join(scratch, 'indexes.parquet');
  await withSpillingDuckDb({ folder: join(scratch, 'spill'), signal }, (connection) =>
    connection.run(`COPY (${shuffledIndexSql(source.id, count, run)}) TO ${quotedText(path)} (FORMAT parquet)`),
  );
  return { path, fields: [field('row_index', 'int64')], rows: await countRows(path) };
}

interface Gathered {
  readonly indexes: TableInFile;
  readonly fields: readonly ArrowField[];
  readonly destination: string;
}

async function writeGathered(
  heap: Heap,
  { indexes, fields, destination }: Gathered,
  signal: AbortSignal,
): Promise<number> {
  const columns = storedColumns(fields);
  const storedAs = columns.map(({ stored }) => stored);
  using writer = new TableWriter(destination, storedAs, { isPacked: true });
  for await (const [index] of rowsInFile(indexes, CHUNK_ROWS)) {
    signal.throwIfAborted();
    const { values, bytes } = await fetchRow(heap, Number(index));
    writer.add(
      columns.map(({ convert }, column) => convert(values[column])),
      bytes,
    );
  }
  writer.finish();
  return indexes.rows;
}

async function fetchRow({ file, starts }: Heap, index: number): Promise<{ values: readonly unknown[]; bytes: number }> {
  const start = starts[index] ?? 0;
  const bytes = Buffer.alloc((starts[index + 1] ?? 0) - start);
  await file.read(bytes, 0, bytes.length, start);
  const values = fromSerializable(deserialize(bytes));
  return { values: Array.isArray(values) ? values : [], bytes: bytes.length };
}
