import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type ArrowField, stringifyJson } from '@data-designer/core';
import { storedFields } from '../tables/stored-fields.ts';
import type { OpenTable, RowSource } from '../tables/table-source.ts';
import type { Row } from './serializable-row.ts';
import { quotedPath } from '../duck-db/sql-text.ts';
import { type SpooledRows, writeRows } from './spool-rows.ts';

/** What rows in memory are called in messages. */
export const MEMORY_NAME = 'the calling program';

/** Rows go to the file in groups of this many. */
const GROUP_ROWS = 10_240;

/** SQL of a file whose columns are stored fields. */
export function spoolTable(path: string, fields: readonly ArrowField[]): OpenTable {
  return { sql: `read_parquet(${quotedPath(path)})`, columns: storedFields(fields).map(({ name }) => name) };
}

/** The rows of an array. */
export function arrayRows(rows: readonly Row[], fields: readonly ArrowField[]): RowSource {
  return {
    name: MEMORY_NAME,
    files: [],
    hash: () => Promise.resolve(hashOf(rows)),
    open: async ({ scratch }) => {
      const path = join(scratch, 'rows.parquet');
      await writeRows(path, fields, groupsOf(rows));
      return spoolTable(path, fields);
    },
  };
}

/** Rows that were read to their end and stand in a file. */
export function spooledRows({ path, fields, sha256 }: SpooledRows): RowSource {
  return {
    name: MEMORY_NAME,
    files: [],
    hash: () => Promise.resolve(sha256),
    open: () => Promise.resolve(spoolTable(path, fields)),
  };
}

function* groupsOf(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += GROUP_ROWS) yield rows.slice(at, at + GROUP_ROWS);
}

function hashOf(rows: readonly Row[]): string {
  const hash = createHash('sha256');
  for (const row of rows) hash.update(`${stringifyJson(row)}\n`);
  return hash.digest('hex');
}
