import { type CellValue, Random } from '@data-designer/core';
import { quoted, type SqlDatabase } from './sql-database.ts';

/** The columns of the tables that `tablesOf` gives. */
export function columnsOf(db: SqlDatabase): readonly (readonly [string, readonly string[]])[] {
  return tableNames(db).map((table) => {
    const columns = selected(db, 'SELECT name FROM pragma_table_xinfo(:table) WHERE hidden <> 1', { table });
    return [table, columns.map(({ name }) => name as string)];
  });
}

/** The tables of a database by name: each a list of its rows, in the order of the primary key or as they were inserted. */
export function tablesOf(db: SqlDatabase): Readonly<Record<string, CellValue>> {
  return Object.fromEntries(
    tableNames(db).map((table) => {
      const keys = selected(db, 'SELECT name FROM pragma_table_info(:table) WHERE pk > 0 ORDER BY pk', { table });
      const order = keys.length > 0 ? keys.map((key) => quoted(key.name as string)).join(', ') : 'rowid';
      return [table, selected(db, `SELECT * FROM ${quoted(table)} ORDER BY ${order}`)];
    }),
  );
}

function tableNames(db: SqlDatabase): readonly string[] {
  const tables = selected(
    db,
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
  );
  return tables.map(({ name }) => name as string);
}

const SOURCES = { random: Random.of(0, '').at(0), now: 0, isOwn: true };

function selected(db: SqlDatabase, sql: string, values = {}): readonly Readonly<Record<string, CellValue>>[] {
  return db.run([sql], SOURCES, values).rows ?? [];
}
