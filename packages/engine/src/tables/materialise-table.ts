import { chmod, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArrowField, DataDesignerError } from '@data-designer/core';
import type { DuckDBConnection, DuckDBResultReader } from '@duckdb/node-api';
import { duckDbReason } from '../seed/duck-db-reason.ts';
import { quotedName, quotedText } from '../seed/seed-table.ts';
import { withSpillingDuckDb } from '../seed/with-duck-db.ts';
import { commit } from '../store/commit-file.ts';
import { storageFailure } from '../store/storage-failure.ts';
import { canonicalSql } from './canonical-sql.ts';
import { refuseChanged } from './file-stamp.ts';
import { filteredSql, type Ordering, orderedSql, shuffledSql, type Taken } from './ordered-sql.ts';
import { storedFields } from './stored-fields.ts';
import type { OpenTable, TableSource, Workplace } from './table-source.ts';

/** Rows to a row group: workers read whole ones. */
const ROW_GROUP_ROWS = 10_240;

/** For which rows of which run a table is made. */
export interface TableRun {
  /** Rows of the run. */
  readonly rows: number;
  readonly seed: number;
}

/**
 * Writes the rows that a run needs of a table, in the order of the run, as one Parquet file that is either there in
 * full or not at all; gives how many there are. Throws `seed/unreadable`, or `dataset/*` where it cannot be written.
 */
export async function materialiseTable(
  source: TableSource,
  destination: string,
  { run, place }: { readonly run: TableRun; readonly place: Workplace },
): Promise<number> {
  const { rows: from } = source;
  const ordered = join(place.scratch, 'ordered.parquet');
  const finished = join(place.scratch, 'finished.parquet');
  for (const file of from.files) await refuseChanged(file);
  const table = await from.open(place);
  let rows = await withSpillingDuckDb({ folder: join(place.scratch, 'spill'), signal: place.signal }, (connection) =>
    copyOrdered(connection, { source, table, run, destination: ordered }),
  ).catch((thrown: unknown) => {
    place.signal.throwIfAborted();
    throw failureOf(thrown, from.name, destination);
  });
  if (rows > 0 && from.complete) rows = await from.complete(ordered, finished, place);
  for (const file of from.files) await refuseChanged(file);
  place.signal.throwIfAborted();
  if (rows === 0) throw new DataDesignerError('seed/unreadable', { source: from.name, reason: 'there are none' });
  await settle(from.complete ? finished : ordered, destination);
  await rm(ordered, { force: true });
  return rows;
}

interface Copy {
  readonly source: TableSource;
  readonly table: OpenTable;
  readonly run: TableRun;
  readonly destination: string;
}

async function copyOrdered(connection: DuckDBConnection, copy: Copy): Promise<number> {
  const { source, table, run, destination } = copy;
  const head = await connection.runAndReadAll(`SELECT * FROM ${table.sql} LIMIT 0`);
  const wanted = wantedColumns(head, copy);
  const ordering = { id: source.id, filters: source.filters, table: table.sql, names: head.columnNames(), wanted };
  const sql = await sqlOf(connection, ordering, { source, run });
  const options = `FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}`;
  const copied = await connection.runAndReadAll(`COPY (${sql}) TO ${quotedText(destination)} (${options})`);
  return Number(copied.getRowsJson()[0]?.[0]);
}

/** The wanted columns, each as an expression and the name it is stored under. */
function wantedColumns(head: DuckDBResultReader, { source: { fields, rows }, table }: Copy): string[] {
  const stored = storedFields(fields);
  return table.columns.map((name, index) => {
    const at = head.columnNames().indexOf(name);
    if (at < 0) {
      const reason = `it has no column '${name}' any more`;
      throw new DataDesignerError('seed/unreadable', { source: rows.name, reason });
    }
    const field = stored[index] as ArrowField;
    return `${canonicalSql(quotedName(name), head.columnType(at), field)} AS ${quotedName(field.name)}`;
  });
}

async function sqlOf(
  connection: DuckDBConnection,
  ordering: Ordering,
  { source: { order, selection }, run }: { readonly source: TableSource; readonly run: TableRun },
): Promise<string> {
  const everything = order === 'ordered' && selection === null;
  if (everything) return orderedSql(ordering, { first: 0, rows: run.rows }, run.rows);
  const taken =
    selection !== null && 'end' in selection ? rangeOf(selection) : await partOf(connection, ordering, selection);
  if (order === 'ordered') return orderedSql(ordering, taken, run.rows);
  return shuffledSql(ordering, taken, { runRows: run.rows, seed: run.seed });
}

function rangeOf({ start, end }: { readonly start: number; readonly end: number }): Taken {
  return { first: start, rows: end - start + 1 };
}

/** One of several equal parts, of which the last takes the rest; all rows without a selection. */
async function partOf(
  connection: DuckDBConnection,
  { table, filters }: Ordering,
  part: { readonly index: number; readonly numPartitions: number } | null,
): Promise<Taken> {
  const counted = await connection.runAndReadAll(`SELECT count(*) FROM (${filteredSql(table, filters)})`);
  const all = Number(counted.getRowsJson()[0]?.[0]);
  const { index, numPartitions } = part ?? { index: 0, numPartitions: 1 };
  const size = Math.floor(all / numPartitions);
  const first = index * size;
  return { first, rows: index === numPartitions - 1 ? all - first : size };
}

/** Gives a finished file its place: readable by its owner only, and on disk before it has its name. */
async function settle(temporary: string, path: string): Promise<void> {
  try {
    await chmod(temporary, 0o600);
    await using handle = await open(temporary, 'r+');
    await handle.sync();
  } catch (thrown) {
    throw storageFailure(thrown, path);
  }
  await commit({ temporary, path });
}

/** Whether the rows could not be read, or not be written. */
function failureOf(thrown: unknown, source: string, path: string): unknown {
  if (thrown instanceof DataDesignerError) return thrown;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  if (/No space left|disk is full|max_temp_directory_size/i.test(text))
    return new DataDesignerError('dataset/disk-full', { path });
  return new DataDesignerError('seed/unreadable', { source, reason: duckDbReason(thrown) }, { cause: thrown });
}

/** How many bytes a table's file has. */
export async function bytesOf(path: string): Promise<number> {
  return (await stat(path)).size;
}
