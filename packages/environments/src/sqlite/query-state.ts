import { type CellValue, isFields, isList, messageOf, Random } from '@data-designer/core';
import { insertRows } from './open-database.ts';
import { quoted, SqlDatabase, type SqlSources } from './sql-database.ts';

/** A query that cannot run on a state: the reason. */
export interface QueryFailure {
  readonly reason: string;
}

/** The tables of a state, for queries. */
export interface StateTables extends Disposable {
  /** The first column of the first row of a query; null without rows. */
  readonly query: (sql: string) => { readonly value: CellValue } | QueryFailure;
}

/** Columns that a query may name in tables without rows. */
const MOST_COLUMNS = 100;

/** Opens the tables of a state; throws an `Error` for a state that is no object of lists of objects. */
export async function openState(state: CellValue): Promise<StateTables> {
  const sources = { random: Random.of(0, 'state').at(0), now: undefined };
  const tables = tablesIn(state);
  const db = await SqlDatabase.open();
  try {
    for (const [name, rows] of tables) {
      const columns = new Set(rows.flatMap((row) => Object.keys(row)));
      // A table needs a column; one without rows may have any.
      const listed = columns.size === 0 ? ['_'] : [...columns].map(quoted);
      db.run([`CREATE TABLE ${quoted(name)} (${listed.join(', ')})`], sources);
      insertRows(db, { table: name, rows }, sources);
    }
  } catch (thrown) {
    db.close();
    throw thrown;
  }
  const empty = tables.flatMap(([name, rows]) => (rows.length === 0 ? [name] : []));
  return { query: (sql) => queried(db, sql, { empty, sources }), [Symbol.dispose]: () => db.close() };
}

type TableRows = readonly Readonly<Record<string, CellValue>>[];

function tablesIn(state: CellValue): readonly (readonly [string, TableRows])[] {
  if (!isFields(state)) throw new Error('the state is no object of tables');
  return Object.entries(state as Readonly<Record<string, CellValue>>).map(([name, rows]) => {
    if (isList(rows) && rows.every((row) => isFields(row))) return [name, rows];
    throw new Error(`the state has no rows under '${name}'`);
  });
}

/** Runs a query; the columns that it names are added to tables without rows, whose shape a state does not hold. */
function queried(
  db: SqlDatabase,
  sql: string,
  { empty, sources }: { readonly empty: readonly string[]; readonly sources: SqlSources },
): { readonly value: CellValue } | QueryFailure {
  for (let added = 0; ; added++) {
    try {
      const [row] = rowsOf(db, sql, sources);
      return { value: row ? (Object.values(row)[0] ?? null) : null };
    } catch (thrown) {
      const reason = messageOf(thrown);
      const column = /^no such column: (?:.*\.)?(\w+)$/.exec(reason)?.[1];
      if (column === undefined || added >= MOST_COLUMNS || !addColumn(db, column, { empty, sources }))
        return { reason };
    }
  }
}

/** The rows of a query; what it writes is undone, since the next check reads the same state. */
function rowsOf(db: SqlDatabase, sql: string, sources: SqlSources): TableRows {
  db.mark();
  try {
    return db.run([sql], sources).rows ?? [];
  } finally {
    db.undo();
    db.release();
  }
}

/** Adds a column to the tables without rows that lack it; false if all have it. */
function addColumn(
  db: SqlDatabase,
  column: string,
  { empty, sources }: { readonly empty: readonly string[]; readonly sources: SqlSources },
): boolean {
  const added = empty.filter((table) => {
    try {
      db.run([`ALTER TABLE ${quoted(table)} ADD COLUMN ${quoted(column)}`], sources);
      return true;
    } catch {
      return false;
    }
  });
  return added.length > 0;
}
