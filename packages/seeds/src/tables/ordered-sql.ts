import type { CollectionFilter } from '@data-designer/core';
import { quotedName, quotedText } from '../duck-db/sql-text.ts';
import type { TableRun, TableSource } from './table-source.ts';

/** The selected rows of a table: the first one, and their number. */
export interface SelectedRange {
  readonly first: number;
  readonly rows: number;
}

/** The rows of a selection among `all`: a range, a part (the last one with the remainder), or all. A range needs no count. */
export function takenRows(selection: TableSource['selection'], all: number): SelectedRange {
  if (selection === null) return { first: 0, rows: all };
  if ('end' in selection) return { first: selection.start, rows: selection.end - selection.start + 1 };
  const { index, numPartitions } = selection;
  const size = Math.floor(all / numPartitions);
  const first = index * size;
  return { first, rows: index === numPartitions - 1 ? all - first : size };
}

/** What SQL needs to order a table. */
export interface Ordering extends Pick<TableSource, 'id' | 'filters'> {
  /** SQL of the table, and of each wanted column as `expression AS "name"`. */
  readonly table: string;
  readonly wanted: readonly string[];
  /** All column names of the table. */
  readonly names: readonly string[];
}

/** SQL of the rows that pass the filters. */
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

/** SQL of the selected rows in source order, at most as many as the run has. */
export function orderedSql({ table, filters, wanted }: Ordering, taken: SelectedRange, runRows: number): string {
  const rows = Math.min(taken.rows, runRows);
  return `SELECT ${wanted.join(', ')} FROM (${filteredSql(table, filters)} LIMIT ${rows} OFFSET ${taken.first})`;
}

/** SQL of the selected rows in random order, repeated in another order until the run has enough rows. */
export function shuffledSql(
  { id, table, filters, wanted, names }: Ordering,
  taken: SelectedRange,
  run: TableRun,
): string {
  const [index, pass] = [freeName('row_index', names), freeName('pass', names)];
  const rows = `${filteredSql(table, filters)} LIMIT ${taken.rows} OFFSET ${taken.first}`;
  const numbered = `SELECT *, row_number() OVER () - 1 AS ${index} FROM (${rows})`;
  return shuffled({ id, wanted: wanted.join(', '), numbered, index, pass, count: taken.rows }, run);
}

/** SQL of row indexes in the order in which `shuffledSql` gives the rows. */
export function shuffledIndexSql(id: string, count: number, run: TableRun): string {
  const numbered = `SELECT range AS row_index FROM range(${count})`;
  return shuffled({ id, wanted: 'row_index', numbered, index: 'row_index', pass: 'pass', count }, run);
}

interface Numbered {
  readonly id: string;
  readonly wanted: string;
  /** SQL of the rows, with a column that numbers them from 0. */
  readonly numbered: string;
  readonly index: string;
  readonly pass: string;
  readonly count: number;
}

/** Orders by the MD5 of (run seed, table, pass, index among the selected rows). */
function shuffled({ id, wanted, numbered, index, pass, count }: Numbered, { rows, seed }: TableRun): string {
  const passes = Math.max(1, Math.ceil(rows / count));
  const repeated = `SELECT *, ${passes === 1 ? '0' : `unnest(range(${passes}))`} AS ${pass} FROM (${numbered})`;
  const draw = `md5_number_lower(${quotedText(`${seed}\n${id}\n`)} || ${pass} || '\n' || ${index})`;
  return `SELECT ${wanted} FROM (${repeated}) ORDER BY ${pass}, ${draw}, ${index} LIMIT ${rows}`;
}

function freeName(wish: string, names: readonly string[]): string {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  let name = wish;
  while (taken.has(name)) name += '_';
  return name;
}
