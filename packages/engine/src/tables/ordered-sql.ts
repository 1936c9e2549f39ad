import type { CollectionFilter } from '@data-designer/core';
import { quotedName, quotedText } from '../seed/seed-table.ts';
import type { TableSource } from './table-source.ts';

/** The rows that are taken of a table: how many are passed over, and how many follow. */
export interface Taken {
  readonly first: number;
  readonly rows: number;
}

/** What has to be known to order a table. */
export interface Ordering extends Pick<TableSource, 'id' | 'filters'> {
  /** SQL of the table, and what of it is wanted, as `expression AS "name"` each. */
  readonly table: string;
  readonly wanted: readonly string[];
  /** Names that the table has. */
  readonly names: readonly string[];
}

/** SQL of the rows of a source that pass the filters. */
export function filteredSql(table: string, filters: readonly CollectionFilter[]): string {
  const conditions = filters.map(conditionSql);
  return `SELECT * FROM ${table}${conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''}`;
}

function conditionSql(filter: CollectionFilter): string {
  const column = quotedName(filter.column);
  if (!('oneOf' in filter)) return `${column} BETWEEN ${filter.from} AND ${filter.to}`;
  const texts = filter.oneOf.map(quotedText).join(', ');
  return texts === '' ? 'false' : `CAST(${column} AS VARCHAR) IN (${texts})`;
}

/** SQL of the taken rows in their own order, no more than the run has rows. */
export function orderedSql({ table, filters, wanted }: Ordering, taken: Taken, runRows: number): string {
  const rows = Math.min(taken.rows, runRows);
  return `SELECT ${wanted.join(', ')} FROM (${filteredSql(table, filters)} LIMIT ${rows} OFFSET ${taken.first})`;
}

/**
 * SQL of the taken rows in random order, over and over until the run has its rows, each time in another order. The
 * order is that of the MD5 of (run seed, table, pass, index of the row among those taken).
 */
export function shuffledSql(
  { id, table, filters, wanted, names }: Ordering,
  taken: Taken,
  { runRows, seed }: { readonly runRows: number; readonly seed: number },
): string {
  const [index, pass] = [freeName('row_index', names), freeName('pass', names)];
  const passes = Math.max(1, Math.ceil(runRows / taken.rows));
  const rows = `${filteredSql(table, filters)} LIMIT ${taken.rows} OFFSET ${taken.first}`;
  const numbered = `SELECT *, row_number() OVER () - 1 AS ${index} FROM (${rows})`;
  const repeated = `SELECT *, ${passes === 1 ? '0' : `unnest(range(${passes}))`} AS ${pass} FROM (${numbered})`;
  const draw = `md5_number_lower(${quotedText(`${seed}\n${id}\n`)} || ${pass} || '\n' || ${index})`;
  return `SELECT ${wanted.join(', ')} FROM (${repeated}) ORDER BY ${pass}, ${draw}, ${index} LIMIT ${runRows}`;
}

function freeName(wish: string, names: readonly string[]): string {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  let name = wish;
  while (taken.has(name)) name += '_';
  return name;
}
