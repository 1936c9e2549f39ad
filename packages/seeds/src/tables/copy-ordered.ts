import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBResultReader } from '@duckdb/node-api';
import { DataDesignerError } from '@data-designer/core';
import { pageCodec } from '@data-designer/dataset/parquet';
import { quotedName, quotedText } from '../duck-db/sql-text.ts';
import { withSpillingDuckDb } from '../duck-db/with-duck-db.ts';
import { canonicalSql } from './canonical-sql.ts';
import { filteredSql, orderedSql, type Ordering, type SelectedRange, shuffledSql, takenRows } from './ordered-sql.ts';
import { storedFields } from './stored-fields.ts';
import type { OpenTable, PrepareContext, TableRun, TableSource } from './table-source.ts';
import { GROUP_BYTES, GROUP_ROWS } from './table-writer.ts';

/** Node.js unpacks zstd itself, which takes a tenth of the time that the reader of Parquet takes for Snappy. */
const COMPRESSION = { ZSTD: 'COMPRESSION zstd, COMPRESSION_LEVEL 1', SNAPPY: 'COMPRESSION snappy' } as const;

/** A table, and the run that gives its order. */
export interface Copy {
  readonly source: TableSource;
  readonly table: OpenTable;
  readonly run: TableRun;
  readonly destination: string;
}

/** A written table: the number of its rows, and the rows of the source that they are. */
export interface Copied {
  readonly rows: number;
  readonly taken: SelectedRange;
}

/** Writes the rows of a table as a Parquet file in the order of a run. Throws DuckDB's errors. */
export async function copyOrdered(copy: Copy, { scratch, signal }: PrepareContext): Promise<Copied> {
  const isOnce = copy.source.order === 'shuffle';
  return withSpillingDuckDb({ folder: join(scratch, 'spill'), signal, isOnce }, async (connection) => {
    const ordering = await orderingOf(connection, copy);
    const { source, run } = copy;
    const taken = await takenOf(connection, ordering, copy);
    const isOrdered = source.order === 'ordered';
    const sql = isOrdered ? orderedSql(ordering, taken, run.rows) : shuffledSql(ordering, taken, run);
    await rm(copy.destination, { force: true });
    const groups = `ROW_GROUP_SIZE ${GROUP_ROWS}, ROW_GROUP_SIZE_BYTES '${GROUP_BYTES / 2 ** 20}MiB'`;
    const options = `FORMAT parquet, ${COMPRESSION[pageCodec().codec]}, ${groups}`;
    const copied = await connection.runAndReadAll(`COPY (${sql}) TO ${quotedText(copy.destination)} (${options})`);
    const rows = Number(copied.getRowsJson()[0]?.[0]);
    return { rows, taken: isOrdered ? { ...taken, rows } : taken };
  });
}

async function orderingOf(connection: DuckDBConnection, copy: Copy): Promise<Ordering> {
  const { source, table } = copy;
  const head = await connection.runAndReadAll(`SELECT * FROM ${table.sql} LIMIT 0`);
  const { id, filters } = source;
  return { id, filters, table: table.sql, names: head.columnNames(), wanted: wantedColumns(head, copy) };
}

/** SQL of the wanted columns under their stored names. */
function wantedColumns(head: DuckDBResultReader, { source: { fields, rows }, table }: Copy): string[] {
  const stored = storedFields(fields);
  return table.columns.map((name, index) => {
    const at = head.columnNames().indexOf(name);
    const field = stored[index];
    if (at < 0 || !field) {
      const reason = `it no longer has the column '${name}'`;
      throw new DataDesignerError('seed/unreadable', { source: rows.name, reason });
    }
    return `${canonicalSql(quotedName(name), head.columnType(at), field)} AS ${quotedName(field.name)}`;
  });
}

/** The rows to write or to shuffle; they are counted only where their order or their selection needs it. */
async function takenOf(
  connection: DuckDBConnection,
  ordering: Ordering,
  { source: { order, selection }, run }: Copy,
): Promise<SelectedRange> {
  if (order === 'ordered' && selection === null) return { first: 0, rows: run.rows };
  const isRange = selection !== null && 'end' in selection;
  return takenRows(selection, isRange ? 0 : await numberOfRows(connection, ordering));
}

/** The number of rows that pass the filters. */
async function numberOfRows(connection: DuckDBConnection, { table, filters }: Ordering): Promise<number> {
  const counted = await connection.runAndReadAll(`SELECT count(*) FROM (${filteredSql(table, filters)})`);
  return Number(counted.getRowsJson()[0]?.[0]);
}
