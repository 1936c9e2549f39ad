import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArrowField, type CollectionRequest, type Finding, knownNames } from '@data-designer/core';
import { duckDbReason } from '../duck-db/duck-db-reason.ts';
import { inspectTable } from '../files/inspect-table.ts';
import { quotedName, tableSql } from '../duck-db/sql-text.ts';
import { withDuckDb } from '../duck-db/with-duck-db.ts';
import { filteredSql } from '../tables/ordered-sql.ts';
import type { TableSource } from '../tables/table-source.ts';

/** The folder of collections, and the rows that a run needs. */
export interface CollectionOptions {
  /** The folder of installed collections. */
  readonly folder: string;
  /** The number of rows that must pass the filters; one unless given. */
  readonly rows?: number;
}

/** A collection as a table of a run, or the reason why it cannot be used. */
export type CollectionInspection =
  | { readonly source: TableSource }
  | { readonly finding: Pick<Finding, 'type' | 'message' | 'remedy'> };

const ENDING = '.parquet';

/** The file of a collection. */
export function collectionPath(folder: string, collection: string): string {
  return join(folder, `${collection}${ENDING}`);
}

/** Checks that a collection is installed, has the requested columns, and enough rows that pass the filters. */
export async function inspectCollection(
  request: CollectionRequest,
  { folder, rows = 1 }: CollectionOptions,
): Promise<CollectionInspection> {
  const path = collectionPath(folder, request.collection);
  const installed = await installedIn(folder);
  if (!installed.includes(request.collection)) return { finding: missing(request, path, installed) };
  return inspectCollectionFile(request, path, rows);
}

/** Checks that a file has the requested columns of a collection, and enough rows that pass the filters. */
export async function inspectCollectionFile(
  request: CollectionRequest,
  path: string,
  rows: number,
): Promise<CollectionInspection> {
  const { table: id, collection, filters, install = 'Install it again.' } = request;
  const { columns = [], source, findings } = await inspectTable([path], { format: 'parquet', isCounted: false });
  const [broken] = findings.filter(({ level }) => level === 'ERROR');
  if (broken || !source)
    return { finding: fault('collection_unreadable', broken?.message ?? `${path} has no rows.`, install) };
  const names = columns.map(({ name }) => name);
  const lacking = request.needs.find((column) => !names.includes(column));
  if (lacking !== undefined) {
    const message = `the collection '${collection}' has no column '${lacking}', which is needed.`;
    return { finding: fault('collection_column_missing', message, install) };
  }
  const unknown = filters.find(({ column }) => !names.includes(column))?.column;
  if (unknown !== undefined) {
    const message = `the collection '${collection}' has no column '${unknown}' to filter by.`;
    return { finding: fault('collection_column_missing', message, knownNames(unknown, names)) };
  }
  const used = columns.filter(({ name }) => request.columns.includes(name));
  const counted = await count(path, request, used);
  if (typeof counted === 'string')
    return { finding: fault('collection_unreadable', `${path} cannot be read: ${counted}.`, install) };
  const { matching, fields } = counted;
  if (matching < rows) return { finding: tooFew(request, matching, rows) };
  const wanted = {
    ...source,
    open: async (...context: Parameters<typeof source.open>) => ({
      ...(await source.open(...context)),
      columns: fields.map(({ name }) => name),
    }),
  };
  return { source: { id, fields, rows: wanted, order: 'shuffle', selection: null, filters } };
}

/** The names of the installed collections, in order. */
async function installedIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length))
    .toSorted();
}

function fault(type: string, message: string, remedy: string): Pick<Finding, 'type' | 'message' | 'remedy'> {
  return { type, message, remedy };
}

function missing(
  { collection, install = 'Save its Parquet file there.' }: CollectionRequest,
  path: string,
  installed: readonly string[],
): ReturnType<typeof fault> {
  const others = installed.length === 0 ? 'No collection is installed.' : `Installed: ${installed.join(', ')}.`;
  const message = `the collection '${collection}' is not installed: there is no file ${path}.`;
  return fault('collection_missing', message, `${others} ${install}`);
}

function tooFew(
  { collection, filters }: CollectionRequest,
  matching: number,
  wanted: number,
): ReturnType<typeof fault> {
  const who = filters.length === 0 ? 'exist' : 'match the filters';
  const message = `${matching} rows of the collection '${collection}' ${who}, but ${wanted} different rows are needed.`;
  return fault('collection_too_small', message, 'Use wider filters or fewer rows.');
}

/** The number of rows that pass the filters and the columns that are not null in all of them, or why reading failed. */
async function count(
  path: string,
  { filters }: CollectionRequest,
  columns: readonly ArrowField[],
): Promise<{ readonly matching: number; readonly fields: readonly ArrowField[] } | string> {
  const counts = columns.map(({ name }) => `count(${quotedName(name)})`).join(', ');
  const sql = `SELECT count(*), ${counts} FROM (${filteredSql(tableSql([path], 'parquet'), filters)})`;
  try {
    const reader = await withDuckDb((connection) => connection.runAndReadAll(sql));
    const [matching, ...filled] = (reader.getRowsJson()[0] ?? []).map(Number);
    return { matching: matching ?? 0, fields: columns.filter((_, index) => (filled[index] ?? 0) > 0) };
  } catch (thrown) {
    return duckDbReason(thrown);
  }
}
