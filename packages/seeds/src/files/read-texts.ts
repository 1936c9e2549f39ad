import { DataDesignerError } from '@data-designer/core';
import { findTable } from '@data-designer/config';
import { quotedName, tableSql } from '../duck-db/sql-text.ts';
import { withDuckDb } from '../duck-db/with-duck-db.ts';
import { inspectTable } from './inspect-table.ts';

/** The texts of a row of a table file. */
export interface RowTexts {
  readonly file: string;
  /** The row in its file, from 0. */
  readonly row: number;
  readonly texts: readonly string[];
}

/**
 * Calls `take` with the texts in each row of the table files that a path or pattern names: those of `column` where a file
 * has it, else of all text columns. Throws `config/unreadable` for a path without a readable table.
 */
export async function readTexts(
  path: string,
  { folder, column }: { readonly folder: string; readonly column: string },
  take: (row: RowTexts) => void,
): Promise<void> {
  const table = findTable(path, folder);
  if (!('files' in table)) throw unreadable(path, `${table.message} ${table.remedy}`);
  const { files, format } = table;
  for (const file of files) {
    const { columns = [], findings } = await inspectTable([file], { format, isCounted: false });
    const [finding] = findings.filter(({ level }) => level === 'ERROR');
    if (finding) throw unreadable(file, finding.message);
    const texts = columns.filter(({ type }) => type === 'utf8').map(({ name }) => name);
    const names = columns.some(({ name }) => name === column) ? [column] : texts;
    if (names.length === 0) throw unreadable(file, 'it has no column of text.');
    const sql = `SELECT ${names.map((name) => `${quotedName(name)}::VARCHAR`).join(', ')} FROM ${tableSql([file], format)}`;
    await withDuckDb(async (connection) => {
      let row = 0;
      for await (const rows of (await connection.stream(sql)).yieldRowsJson()) {
        for (const cells of rows) {
          take({ file, row: row++, texts: cells.filter((cell) => typeof cell === 'string') });
        }
      }
    });
  }
}

function unreadable(path: string, reason: string): DataDesignerError {
  return new DataDesignerError('config/unreadable', { path, reason: reason.replace(/\.$/, '') });
}
