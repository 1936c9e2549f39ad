import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBResultReader } from '@duckdb/node-api';
import { type ArrowField, DataDesignerError } from '@data-designer/core';
import { quotedName, quotedText } from '../duck-db/sql-text.ts';
import { withSpillingDuckDb } from '../duck-db/with-duck-db.ts';
import { canonicalSql } from './canonical-sql.ts';
import { filteredSql, orderedSql, type Ordering, shuffledSql, type Taken } from './ordered-sql.ts';
import { storedFields } from './stored-fields.ts';
import type { OpenTable, TableSource, Workplace } from './table-source.ts';

/** Workers read whole row groups: these end with so many rows, or about so many bytes. */
const ROW_GROUP_ROWS = 10_240;
const ROW_GROUP_BYTES = '16MB';

/** For which rows of which run a table is made. */
export interface TableRun {
  /** Rows of the run. */
  readonly rows: number;
  readonly seed: number;
}

/** A table that is brought into the order of a run. */
export interface Copy {
  readonly source: TableSource;
  readonly table: OpenTable;
  readonly run: TableRun;
  readonly destination: string;
}

/** Writes the rows of a table in the order of a run as a Parquet file; gives how many there are. Throws what DuckDB does. */
export async function copyOrdered(copy: Copy, { scratch, signal }: Workplace): Promise<number> {
  const isOnce = copy.source.order === 'shuffle';
  return withSpillingDuckDb({ folder: join(scratch, 'spill'), signal, isOnce }, async (connection) => {
    const ordering = await orderingOf(connection, copy);
    const sql = await sqlOf(connection, ordering, copy);
    await rm(copy.destination, { force: true });
    const options = `FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}, ROW_GROUP_SIZE_BYTES '${ROW_GROUP_BYTES}'`;
    const copied = await connection.runAndReadAll(`COPY (${sql}) TO ${quotedText(copy.destination)} (${options})`);
    return Number(copied.getRowsJson()[0]?.[0]);
  });
}

async function orderingOf(connection: DuckDBConnection, copy: Copy): Promise<Ordering> {
  const { source, table } = copy;
  const head = await connection.runAndReadAll(`SELECT * FROM ${table.sql} LIMIT 0`);
  const { id, filters } = source;
  return { id, filters, table: table.sql, names: head.columnNames(), wanted: wantedColumns(head, copy) };
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

async function sqlOf(connection: DuckDBConnection, ordering: Ordering, { source, run }: Copy): Promise<string> {
  const { order, selection } = source;
  const everything = order === 'ordered' && selection === null;
  if (everything) return orderedSql(ordering, { first: 0, rows: run.rows }, run.rows);
  const taken =
    selection !== null && 'end' in selection ? rangeOf(selection) : await partOf(connection, ordering, selection);
  return order === 'ordered' ? orderedSql(ordering, taken, run.rows) : shuffledSql(ordering, taken, run);
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
