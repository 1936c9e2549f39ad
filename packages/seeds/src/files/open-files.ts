import type { DuckDBConnection } from '@duckdb/node-api';
import type { DeclaredTable, TableFormat } from '@data-designer/config';
import { nearest } from '@data-designer/core';
import { duckDbReason } from '../duck-db/duck-db-reason.ts';
import { quotedName, tableSql } from '../duck-db/sql-text.ts';
import { csvTable } from './csv-table.ts';
import { joinParquet } from './join-parquet.ts';
import { jsonTable } from './json-table.ts';
import { type RenamedColumn, renamedColumns } from './renamed-columns.ts';

/** The files of a table, and how to read them. */
export interface TableFiles {
  readonly files: readonly string[];
  readonly format: TableFormat;
  readonly options?: DeclaredTable | undefined;
}

/** SQL of a table whose types hold every value of every file. */
export interface OpenedFiles {
  readonly fault?: undefined;
  readonly sql: string;
  /** SQL of the parts that the table joins; none if all files have the same columns. */
  readonly parts: readonly string[];
  readonly renamed: readonly RenamedColumn[];
}

/** Why files make no table. */
interface UnopenedFiles {
  readonly fault: { readonly file: string; readonly reason: string; readonly remedy?: string };
}

/** A row may be so long unless declared. */
const MAX_ROW_BYTES = 32 * 1024 * 1024;

type OpenFormat = (connection: DuckDBConnection, table: TableFiles) => Promise<OpenedFiles | UnopenedFiles>;

const OPENERS: Readonly<Record<TableFormat, OpenFormat>> = {
  csv: openCsv,
  json: openJson,
  jsonl: openJson,
  parquet: openParquet,
};

/** Decides how the files of a table are read; throws DuckDB's errors. */
export async function openFiles(connection: DuckDBConnection, table: TableFiles): Promise<OpenedFiles | UnopenedFiles> {
  const opened = await OPENERS[table.format](connection, table);
  const { types } = table.options ?? {};
  return opened.fault || types === undefined ? opened : withDeclaredTypes(connection, opened, { types, table });
}

/** DuckDB's names of the types that a declaration may give to a column. */
const DECLARED = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  float: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  time: 'TIME',
  timestamp: 'TIMESTAMP',
} as const satisfies Record<NonNullable<DeclaredTable['types']>[string], string>;

/** Gives columns their declared types; a value that its type does not hold is a fault. */
async function withDeclaredTypes(
  connection: DuckDBConnection,
  opened: OpenedFiles,
  { types, table }: { readonly types: NonNullable<DeclaredTable['types']>; readonly table: TableFiles },
): Promise<OpenedFiles | UnopenedFiles> {
  const file = table.files.join(', ');
  const head = await connection.runAndReadAll(`SELECT * FROM ${opened.sql} LIMIT 0`);
  const names = head.columnNames();
  const unknown = Object.keys(types).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const near = nearest(unknown, names);
    const remedy = near === undefined ? `Its columns are ${names.join(', ')}.` : `Did you mean '${near}'?`;
    return { fault: { file, reason: `'types' names the column '${unknown}', which it does not have`, remedy } };
  }
  for (const [name, type] of Object.entries(types)) {
    const text = quotedName(name);
    const isLost = `${text} IS NOT NULL AND TRY_CAST(${text} AS ${DECLARED[type]}) IS NULL`;
    const numbered = `SELECT ${text}, row_number() OVER () AS row_index FROM ${opened.sql}`;
    const read = await connection.runAndReadAll(
      `SELECT row_index, CAST(${text} AS VARCHAR) FROM (${numbered}) WHERE ${isLost} LIMIT 1`,
    );
    const [row] = read.getRowsJson();
    if (!row) continue;
    const reason = `column '${name}' has ${JSON.stringify(row[1])} in row ${Number(row[0])}, which is no ${type}`;
    return { fault: { file, reason, remedy: "Correct the value, or the type in 'types' of the seed's source." } };
  }
  const casts = Object.entries(types).map(
    ([name, type]) => `CAST(${quotedName(name)} AS ${DECLARED[type]}) AS ${quotedName(name)}`,
  );
  const cast = (from: string): string => `SELECT * REPLACE (${casts.join(', ')}) FROM ${from}`;
  return { ...opened, sql: `(${cast(opened.sql)})`, parts: opened.parts.map((part) => cast(`(${part})`)) };
}

async function openCsv(connection: DuckDBConnection, { files, options }: TableFiles) {
  const texts = Object.keys(options?.types ?? {});
  const read = await csvTable(connection, files, { maxRowBytes: MAX_ROW_BYTES, ...options, texts });
  if (!('reason' in read)) return read;
  return { fault: { file: read.file, reason: `line ${read.line}: ${read.reason}`, remedy: read.remedy } };
}

async function openJson(connection: DuckDBConnection, { files, format, options }: TableFiles) {
  for (const file of files.length > 1 ? files : []) {
    const unread = await faultOf(connection, file, format);
    if (unread) return unread;
  }
  const sql = await jsonTable(connection, files, options?.maxRowBytes ?? MAX_ROW_BYTES);
  const head = await connection.runAndReadAll(`SELECT * FROM ${sql} LIMIT 0`);
  const renamed = await renamedColumns(connection, head.columnNames(), { files, format });
  return { sql, parts: [], renamed };
}

async function openParquet(connection: DuckDBConnection, { files, format }: TableFiles) {
  for (const file of files.length > 1 ? files : []) {
    const unread = await faultOf(connection, file, format);
    if (unread) return unread;
  }
  const joined = await joinParquet(connection, files);
  if ('reason' in joined) return { fault: joined };
  const head = await connection.runAndReadAll(`SELECT * FROM ${joined.sql} LIMIT 0`);
  return { ...joined, renamed: await renamedColumns(connection, head.columnNames(), { files, format }) };
}

/** Why one of several files cannot be read. */
async function faultOf(connection: DuckDBConnection, file: string, format: TableFormat) {
  try {
    await connection.run(`SELECT * FROM ${tableSql([file], format)} LIMIT 1`);
    return undefined;
  } catch (thrown) {
    return { fault: { file, reason: duckDbReason(thrown) } };
  }
}
