import { join } from 'node:path';
import type { ArrowField } from '@data-designer/core';
import { quotedName, quotedPaths, quotedText } from '../duck-db/sql-text.ts';
import { withSpillingDuckDb } from '../duck-db/with-duck-db.ts';
import { canonicalSql } from './canonical-sql.ts';
import { storedFields } from './stored-fields.ts';
import type { OpenTable, PrepareContext } from './table-source.ts';
import { GROUP_ROWS } from './table-writer.ts';

/** Parts of a table that differ, as SQL of the same columns. */
export interface TableParts {
  readonly parts: readonly string[];
  readonly fields: readonly ArrowField[];
}

/** Writes parts as files with the same columns: DuckDB keeps the order of files, but not that of a union. */
export async function writeParts(
  { parts, fields }: TableParts,
  { scratch, signal }: PrepareContext,
): Promise<OpenTable> {
  const paths = parts.map((_, index) => join(scratch, `joined-${index}.parquet`));
  const stored = storedFields(fields);
  await withSpillingDuckDb({ folder: join(scratch, 'spill'), signal }, async (connection) => {
    for (const [index, path] of paths.entries()) {
      const part = `(${parts[index] ?? ''})`;
      const head = await connection.runAndReadAll(`SELECT * FROM ${part} LIMIT 0`);
      const columns = stored.map(
        (field, at) =>
          `${canonicalSql(quotedName(head.columnName(at)), head.columnType(at), field)} AS ${quotedName(field.name)}`,
      );
      const options = `FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE ${GROUP_ROWS}, ROW_GROUP_SIZE_BYTES '16MB', OVERWRITE true`;
      await connection.run(`COPY (SELECT ${columns.join(', ')} FROM ${part}) TO ${quotedText(path)} (${options})`);
    }
  });
  return { sql: `read_parquet(${quotedPaths(paths)})`, columns: stored.map(({ name }) => name) };
}
