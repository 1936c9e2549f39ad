import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { type ArrowField, type CellValue, field } from '@data-designer/core';
import { countRows } from '@data-designer/dataset';
import { keptValue, takenUpValue } from '../rows/serializable-row.ts';
import { quotedText } from '../duck-db/sql-text.ts';
import { storedValue } from './stored-value.ts';
import { withSpillingDuckDb } from '../duck-db/with-duck-db.ts';
import { type Copy, copyOrdered } from './copy-ordered.ts';
import { shuffledIndexSql } from './ordered-sql.ts';
import { storedFields } from './stored-fields.ts';
import { TableReader } from './table-reader.ts';
import type { Workplace } from './table-source.ts';
import { TableWriter } from './table-writer.ts';

/** Rows that are read at a time. */
const AT_A_TIME = 128;
/** A row group ends with so many rows, or so many bytes of them. */
const GROUP_ROWS = 10_240;
const GROUP_BYTES = 16 * 1024 * 1024;

/** A file of rows one after the other, and where each begins; the last number is the file's end. */
interface Heap {
  readonly file: FileHandle;
  readonly starts: readonly number[];
}

/**
 * Writes the rows of a shuffled table as `copyOrdered` would, without sorting them: they are written down in their own
 * order, and fetched one by one in that of their indexes. For rows that are too long to be sorted in memory.
 */
export async function gatherShuffled(copy: Copy, place: Workplace): Promise<number> {
  const { fields } = copy.source;
  const own = join(place.scratch, 'own-order.parquet');
  const all = { ...copy.run, rows: Number.MAX_SAFE_INTEGER };
  const rows = await copyOrdered(
    { ...copy, source: { ...copy.source, order: 'ordered' }, run: all, destination: own },
    place,
  );
  if (rows === 0) return 0;
  const stored = fields.slice(0, copy.table.columns.length);
  await using file = await open(join(place.scratch, 'rows.heap'), 'wx+', 0o600);
  const heap = { file, starts: await writeHeap(file, { path: own, fields: stored, rows }, place.signal) };
  await rm(own);
  const indexes = await writeIndexes(copy, rows, place);
  await rm(copy.destination, { force: true });
  return await writeGathered(heap, { indexes, fields: stored, destination: copy.destination }, place.signal);
}

interface TableInFile {
  readonly path: string;
  readonly fields: readonly ArrowField[];
  readonly rows: number;
}

/** The rows of a table's file, in order, a few at a time in memory. */
async function* rowsOf({ path, fields, rows }: TableInFile): AsyncGenerator<readonly CellValue[]> {
  const reader = new TableReader({ id: path, fields }, { id: path, path, rows });
  for (let firstRow = 0; firstRow < rows; firstRow += AT_A_TIME) {
    const count = Math.min(AT_A_TIME, rows - firstRow);
    const columns = [...(await reader.read({ firstRow, rows: count })).values()];
    for (let row = 0; row < count; row++) yield columns.map((column) => column[row] as CellValue);
  }
}

async function writeHeap(file: FileHandle, table: TableInFile, signal: AbortSignal): Promise<number[]> {
  const starts = [0];
  for await (const row of rowsOf(table)) {
    signal.throwIfAborted();
    const bytes = serialize(keptValue(row));
    await file.write(bytes);
    starts.push((starts.at(-1) ?? 0) + bytes.length);
  }
  return starts;
}

/** The indexes of the rows in the order of the run. */
async function writeIndexes(
  { source, run }: Copy,
  count: number,
  { scratch, signal }: Workplace,
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
  const stored = storedFields(fields);
  const convert = fields.map((one, index) => storedValue(one, stored[index] as ArrowField));
  using writer = new TableWriter(destination, stored, { isPacked: true });
  let group: unknown[][] = fields.map(() => []);
  let bytes = 0;
  for await (const [index] of rowsOf(indexes)) {
    signal.throwIfAborted();
    const row = await fetchRow(heap, index as number);
    row.values.forEach((value, column) => group[column]?.push(convert[column]?.(value)));
    bytes += row.bytes;
    if (bytes < GROUP_BYTES && (group[0]?.length ?? 0) < GROUP_ROWS) continue;
    writer.write(group);
    group = fields.map(() => []);
    bytes = 0;
  }
  writer.write(group);
  writer.finish();
  return indexes.rows;
}

async function fetchRow({ file, starts }: Heap, index: number): Promise<{ values: readonly unknown[]; bytes: number }> {
  const start = starts[index] ?? 0;
  const bytes = Buffer.alloc((starts[index + 1] ?? 0) - start);
  await file.read(bytes, 0, bytes.length, start);
  return { values: takenUpValue(deserialize(bytes)) as readonly unknown[], bytes: bytes.length };
}
