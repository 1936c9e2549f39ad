import type { DuckDBConnection, DuckDBResultReader, DuckDBType } from '@duckdb/node-api';
import { isStoredFile } from '../tables/stored-file.ts';
import { scalarParts, withChangedParts } from '../duck-db/nested-sql.ts';
import { quotedName } from '../duck-db/sql-text.ts';

/** SQL of a table, and of the parts that it joins. */
interface Tables {
  readonly sql: string;
  readonly parts: readonly string[];
}

/** Columns of bytes are warned of where one of so many first rows is text. */
const LOOKED_AT_ROWS = 100;

/**
 * SQL of a table whose columns of bytes, by its `head`, have one form each: as they are where every value is text, else Base64 in all rows.
 * `mixed` are the columns that become Base64 although early rows are text.
 */
export async function withBytesInOneForm(
  connection: DuckDBConnection,
  { sql, parts }: Tables,
  head: DuckDBResultReader,
): Promise<Tables & { readonly mixed: readonly string[] }> {
  const columns = head.columnNames().map((name, index) => ({ name, ...bytesIn(name, head.columnType(index)) }));
  const binary: (typeof columns)[number][] = [];
  for (const column of columns)
    if (column.holdsBytes && (await hasRow(connection, sql, column.isBinary))) binary.push(column);
  if (binary.length === 0) return { sql, parts, mixed: [] };
  const mixed: string[] = [];
  for (const { name, isBinary, base64 } of binary) {
    const isText = `NOT coalesce(${isBinary}, false) AND CAST(${base64} AS VARCHAR) <> CAST(${quotedName(name)} AS VARCHAR)`;
    if (await hasRow(connection, `(FROM ${sql} LIMIT ${LOOKED_AT_ROWS})`, isText)) mixed.push(name);
  }
  const encoded = binary.map(({ name, base64 }) => `${base64} AS ${quotedName(name)}`);
  const inBase64 = (table: string): string => `SELECT * REPLACE (${encoded.join(', ')}) FROM ${table}`;
  return { sql: `(${inBase64(sql)})`, parts: parts.map((part) => inBase64(`(${part})`)), mixed };
}

async function hasRow(connection: DuckDBConnection, table: string, condition: string): Promise<boolean> {
  const read = await connection.runAndReadAll(`SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1`);
  return read.currentRowCount > 0;
}

/** The bytes in a column, without the content of stored files, which is always Base64. */
function bytesIn(name: string, type: DuckDBType) {
  const value = quotedName(name);
  const parts = scalarParts(value, type).filter(
    (part) => part.type.toString() === 'BLOB' && !isStoredFile(part.siblings.map((sibling) => ({ name: sibling }))),
  );
  const toBase64 = new Map(parts.map(({ path }) => [path, (bytes: string) => `to_base64(${bytes})`]));
  return {
    holdsBytes: parts.length > 0,
    /** SQL that is true if some of them are no text. */
    isBinary: parts.map(({ some }) => some(isBinarySql)).join(' OR '),
    /** SQL of the value with all of them as Base64 text. */
    base64: withChangedParts(value, type, toBase64),
  };
}

/** Whether bytes are no UTF-8 text. NUL stands only in binary files. */
function isBinarySql(bytes: string): string {
  return `NOT coalesce(NOT contains(TRY(decode(${bytes})), chr(0)), ${bytes} IS NULL)`;
}
