import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Mapping } from '@data-designer/config';
import { type ArrowField, stringifyJson } from '@data-designer/core';
import { quotedPath } from '../duck-db/sql-text.ts';
import { storedFields } from '../tables/stored-fields.ts';
import type { OpenTable, RowSource } from '../tables/table-source.ts';
import { SAMPLED_ROWS } from '../tables/table-source.ts';
import { GROUP_ROWS } from '../tables/table-writer.ts';
import { rowWithText } from '../arrow/bytes-as-text.ts';
import { type SpooledRows, writeRows } from './spool-rows.ts';

/** How messages name rows in memory. */
export const MEMORY_NAME = 'the calling program';

/** The table in a file that stores fields under their stored names. */
export function spoolTable(path: string, fields: readonly ArrowField[]): OpenTable {
  return { sql: `read_parquet(${quotedPath(path)})`, columns: storedFields(fields).map(({ name }) => name) };
}

/** The rows of an array. */
export function arrayRows(rows: readonly Mapping[], fields: readonly ArrowField[]): RowSource {
  return {
    name: MEMORY_NAME,
    files: [],
    rowBytes: meanBytes(rows.slice(0, SAMPLED_ROWS)),
    hash: () => Promise.resolve(hashOf(rows)),
    open: async ({ scratch }) => {
      const path = join(scratch, 'rows.parquet');
      await writeRows(path, fields, groupsOf(rows));
      return spoolTable(path, fields);
    },
  };
}

/** Rows that `spoolRows` has stored in a file. */
export function spooledRows({ path, fields, rowBytes, sha256 }: SpooledRows): RowSource {
  return {
    name: MEMORY_NAME,
    files: [],
    rowBytes,
    hash: () => Promise.resolve(sha256),
    open: () => Promise.resolve(spoolTable(path, fields)),
  };
}

function meanBytes(rows: readonly Mapping[]): number {
  const bytes = rows.reduce((sum, row) => sum + stringifyJson(rowWithText(row)).length, 0);
  return bytes / Math.max(1, rows.length);
}

function* groupsOf(rows: readonly Mapping[]): Generator<readonly Mapping[]> {
  for (let at = 0; at < rows.length; at += GROUP_ROWS) {
    yield rows.slice(at, at + GROUP_ROWS).map(rowWithText);
  }
}

function hashOf(rows: readonly Mapping[]): string {
  const hash = createHash('sha256');
  for (const row of rows) hash.update(`${stringifyJson(rowWithText(row))}\n`);
  return hash.digest('hex');
}
