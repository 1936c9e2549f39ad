import { basename, dirname, join } from 'node:path';
import { findTable, type TableFormat } from '@data-designer/config';
import { DataDesignerError } from '@data-designer/core';
import { BenchmarkBuilder, type Benchmarks } from '@data-designer/select';
import { duckDbReason } from '../duck-db/duck-db-reason.ts';
import { quotedName, tableSql } from '../duck-db/sql-text.ts';
import { withDuckDb } from '../duck-db/with-duck-db.ts';
import { inspectTable } from './inspect-table.ts';

/** How benchmark files are read. */
export interface ReadBenchmarksOptions {
  /** The columns of the dataset that are compared: a file with columns of these names has its items there. */
  readonly columns: readonly string[];
  /** Tokens of an n-gram. */
  readonly ngram: number;
  /** The folder of relative paths. */
  readonly folder: string;
  readonly signal?: AbortSignal;
}

/**
 * Reads benchmark files (csv, json, jsonl, parquet; `<folder>/*.jsonl` for all of a folder) into an index of their
 * items. In a file without the given columns every text column has items, except texts of fewer tokens than an n-gram:
 * a choice such as `yes` would match many rows. Throws `benchmark/unreadable`, also for a file without items.
 */
export async function readBenchmarks(
  paths: readonly string[],
  { columns, ngram, folder, signal }: ReadBenchmarksOptions,
): Promise<Benchmarks> {
  const builder = new BenchmarkBuilder(ngram);
  const read = new Set<string>();
  for (const path of paths) {
    const table = findTable(path, folder);
    if (!('files' in table)) throw unreadable(path, table);
    for (const file of table.files) {
      signal?.throwIfAborted();
      if (read.has(file)) continue;
      read.add(file);
      const name = path.includes('*') ? join(dirname(path), basename(file)) : path;
      const benchmark = { name, ...(await itemColumns(file, { name, columns, format: table.format })) };
      const items = await addItems(builder, benchmark);
      if (items === 0) throw unreadable(name, { message: noItems(benchmark.columns, ngram) });
    }
  }
  return builder.build();
}

interface BenchmarkFile {
  /** The name in messages. */
  readonly name: string;
  readonly sql: string;
  /** The columns with items. */
  readonly columns: readonly string[];
  /** Whether the dataset has columns of these names, so that short texts are items too. */
  readonly isNamed: boolean;
}

/** The columns of a file that have items. */
async function itemColumns(
  file: string,
  {
    name,
    columns,
    format,
  }: { readonly name: string; readonly columns: readonly string[]; readonly format: TableFormat },
): Promise<Omit<BenchmarkFile, 'name'>> {
  const seen = await inspectTable([file], { format, isCounted: false });
  const fault = seen.findings.find(({ level }) => level === 'ERROR');
  if (fault || !seen.columns) throw unreadable(name, fault ?? { message: 'it has no rows' });
  const named = seen.columns.map((column) => column.name).filter((column) => columns.includes(column));
  const texts = seen.columns.filter(({ type }) => type === 'utf8').map((column) => column.name);
  const isNamed = named.length > 0;
  return { sql: tableSql([file], format), columns: isNamed ? named : texts, isNamed };
}

/** Adds the items of a file and returns the number of their texts. */
async function addItems(builder: BenchmarkBuilder, { name, sql, columns, isNamed }: BenchmarkFile): Promise<number> {
  if (columns.length === 0) return 0;
  const texts = columns.map((column) => `CAST(${quotedName(column)} AS VARCHAR)`).join(', ');
  let [item, added] = [0, 0];
  await withDuckDb(async (connection) => {
    const result = await connection.stream(`SELECT ${texts} FROM ${sql}`);
    for await (const rows of result.yieldRowsJson()) {
      for (const row of rows) {
        for (const text of row) {
          if (typeof text === 'string' && builder.add({ file: name, item }, text, { isShortLeftOut: !isNamed }))
            added++;
        }
        item++;
      }
    }
  }).catch((thrown: unknown) => {
    throw unreadable(name, { message: duckDbReason(thrown) });
  });
  return added;
}

function noItems(columns: readonly string[], ngram: number): string {
  if (columns.length === 0) return 'it has no column of texts';
  return `no text of ${columns.map((column) => `'${column}'`).join(', ')} has ${ngram} words or more`;
}

function unreadable(path: string, { message, remedy }: { message: string; remedy?: string }): DataDesignerError {
  return new DataDesignerError('benchmark/unreadable', {
    path,
    reason: message,
    ...(remedy !== undefined && { remedy }),
  });
}
