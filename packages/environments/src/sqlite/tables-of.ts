import { type CellValue, Random } from '@data-designer/core';
import { quoted, type SqlDatabase } from './sql-database.ts';

/** The tables of a database by name: each a list of its rows, in the order of the primary key or as they were inserted. */
export function tablesOf(db: SqlDatabase): Readonly<Record<string, CellValue>> {
  const sources = { random: Random.of(0, '').at(0), now: 0, isOwn: true };
  const select = (sql: string, values = {}) => db.run([sql], sources, values).rows ?? [];
  const tables = select(
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
  );
  return Object.fromEntries(
    tables.map(({ name }) => {
      const table = name as string;
      const keys = select('SELECT name FROM pragma_table_info(:table) WHERE pk > 0 ORDER BY pk', { table });
      const order = keys.length > 0 ? keys.map((key) => quoted(key.name as string)).join(', ') : 'rowid';
      return [table, select(`SELECT * FROM ${quoted(table)} ORDER BY ${order}`)];
    }),
  );
}
