import { mkdtemp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { DeclaredTable, TableFormat } from '@data-designer/config';
import { messageOf } from '@data-designer/core';
import { TemporaryFolder } from '@data-designer/dataset';
import { duckDbReason, isOfLineEnds } from '../duck-db/duck-db-reason.ts';
import { tableSql } from '../duck-db/sql-text.ts';
import { isInternal, withDuckDb } from '../duck-db/with-duck-db.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { type CsvOptions, csvTable, fileDialect, readTexts } from './csv-table.ts';
import { writeEvenLines } from './even-lines.ts';
import { withDeclaredTypes } from './declared-types.ts';
import { joinParquet, type LackedColumn } from './join-parquet.ts';
import { jsonTable, type ShortenedNumbers } from './json-table.ts';
import { type RenamedColumn, renamedColumns } from './renamed-columns.ts';
import { PACKED } from './read-head.ts';
import { nameOf, placedFault, RowError } from './row-place.ts';
import { utf8Copies } from './utf8-copies.ts';

/** The files of a table, and how to read them. */
export interface TableFiles {
  readonly files: readonly string[];
  readonly format: TableFormat;
  readonly options?: DeclaredTable | undefined;
  /** Where copies of files in other encodings than UTF-8 are written; until the process ends unless given. */
  readonly copyFolder?: (() => Promise<string>) | undefined;
}

/** SQL of a table whose types hold every value of every file. */
export interface OpenedFiles {
  readonly fault?: undefined;
  readonly sql: string;
  /** SQL of the parts that the table joins; none if all files have the same columns. */
  readonly parts: readonly string[];
  readonly renamed: readonly RenamedColumn[];
  /** Columns that a file lacks, which are null in its rows. */
  readonly lacking: readonly LackedColumn[];
  /** The fractions of JSON files whose last digits no float holds. */
  readonly shortened?: ShortenedNumbers;
  /** How the first CSV file is written. */
  readonly dialect?: CsvDialect;
  /** The number of rows, where deciding the types has counted them. */
  readonly rows?: number | undefined;
  /** The encoding of the first text file. */
  readonly encoding?: string;
}

/** Why files make no table. */
interface UnopenedFiles {
  readonly fault: { readonly file: string; readonly reason: string; readonly remedy?: string };
}

/** A row may be so long unless declared. */
const MAX_ROW_BYTES = 32 * 1024 * 1024;

type OpenFormat = (connection: DuckDBConnection, table: TableFiles) => Promise<OpenedFiles | UnopenedFiles>;

const OPENERS: Readonly<Record<TableFormat, OpenFormat>> = {
  csv: inUtf8(openCsv),
  json: inUtf8(openJson),
  jsonl: inUtf8(openJson),
  parquet: openParquet,
};

/** Decides how the files of a table are read; throws DuckDB's errors. */
export async function openFiles(connection: DuckDBConnection, table: TableFiles): Promise<OpenedFiles | UnopenedFiles> {
  const opened = await OPENERS[table.format](connection, table);
  const { types } = table.options ?? {};
  if (opened.fault || types === undefined) return opened;
  const typed = await withDeclaredTypes(connection, opened, types);
  if ('row' in typed) return { fault: await placedFault(connection, table, typed) };
  return 'reason' in typed ? { fault: { file: nameOf(table.files), ...typed } } : typed;
}

/** Opens copies of the text files in other encodings; messages name the files themselves. */
function inUtf8(open: OpenFormat): OpenFormat {
  return async (connection, table) => {
    const { files, options, copyFolder: folder = keptFolder } = table;
    const copies = await utf8Copies(files, { folder, encoding: options?.encoding });
    if ('reason' in copies) return { fault: copies };
    const opened = await openCopies(open, connection, { ...table, copies: copies.paths });
    return opened.fault ? opened : { ...opened, encoding: copies.encoding };
  };
}

/** Opens copies of files; messages name the files themselves. */
async function openCopies(
  open: OpenFormat,
  connection: DuckDBConnection,
  { copies, ...table }: TableFiles & { readonly copies: readonly string[] },
): Promise<OpenedFiles | UnopenedFiles> {
  const fileOf = (path: string): string => table.files[copies.indexOf(path)] ?? path;
  const opened = await open(connection, { ...table, files: copies }).catch((thrown: unknown) => {
    const text = messageOf(thrown);
    const copy = copies.find((path) => fileOf(path) !== path && text.includes(path));
    throw copy === undefined ? thrown : new Error(text.replaceAll(copy, fileOf(copy)), { cause: thrown });
  });
  if (opened.fault) return { fault: { ...opened.fault, file: fileOf(opened.fault.file) } };
  const lacking = opened.lacking.map((column) => ({ ...column, file: fileOf(column.file) }));
  return { ...opened, lacking };
}

async function keptFolder(): Promise<string> {
  return (await TemporaryFolder.make()).path;
}

async function openCsv(connection: DuckDBConnection, table: TableFiles): Promise<OpenedFiles | UnopenedFiles> {
  try {
    return await readCsv(connection, table);
  } catch (thrown) {
    if (!isOfLineEnds(thrown)) throw thrown;
    const copies = await evenCopies(table);
    return openCopies(readCsv, connection, { ...table, copies }).catch(() => {
      throw thrown;
    });
  }
}

/** The reason why CSV files cannot be read, if `thrown` is a mistake within DuckDB: `thrown` itself if they can be. */
export async function csvReason(thrown: unknown, { files, options }: TableFiles): Promise<unknown> {
  if (!isInternal(thrown)) return thrown;
  return withDuckDb((connection) => readTexts(connection, files, csvOptions(options))).then(
    () => thrown,
    (reason: unknown) => reason,
  );
}

/** Copies of CSV files with one kind of line ends, in order. */
async function evenCopies({ files, options, copyFolder = keptFolder }: TableFiles): Promise<string[]> {
  const folder = await mkdtemp(join(await copyFolder(), 'lines-'));
  const copies: string[] = [];
  for (const [index, file] of files.entries()) {
    const copy = join(folder, `${index}-${basename(file).replace(PACKED, '')}`);
    const dialect = await fileDialect(file, csvOptions(options));
    if ('reason' in dialect) copies.push(file);
    else {
      await writeEvenLines(file, copy, dialect);
      copies.push(copy);
    }
  }
  return copies;
}

function csvOptions(options: DeclaredTable | undefined): CsvOptions {
  return { maxRowBytes: MAX_ROW_BYTES, ...options, texts: Object.keys(options?.types ?? {}) };
}

async function readCsv(connection: DuckDBConnection, { files, options }: TableFiles) {
  const read = await csvTable(connection, files, csvOptions(options));
  if (!('reason' in read)) return read;
  return { fault: { file: read.file, reason: `line ${read.line}: ${read.reason}`, remedy: read.remedy } };
}

async function openJson(connection: DuckDBConnection, { files, format, options }: TableFiles) {
  const declared = Object.entries(options?.types ?? {});
  const texts = new Set(declared.flatMap(([name, type]) => (type === 'text' ? [name] : [])));
  const read = () => jsonTable(connection, files, { maxRowBytes: options?.maxRowBytes ?? MAX_ROW_BYTES, texts });
  return orFaultOfFile(connection, { files, format }, async () => ({ ...(await read()), parts: [] }));
}

async function openParquet(connection: DuckDBConnection, { files, format }: TableFiles) {
  const joined = await orFaultOfFile(connection, { files, format }, () => joinParquet(connection, files));
  if ('fault' in joined) return joined;
  if ('reason' in joined) return { fault: joined };
  const head = await connection.runAndReadAll(`SELECT * FROM ${joined.sql} LIMIT 0`);
  return { ...joined, renamed: await renamedColumns(connection, head.columnNames(), { files, format }) };
}

/** Reads several files together; where that fails, the first file that cannot be read alone is the fault. */
async function orFaultOfFile<Result>(
  connection: DuckDBConnection,
  { files, format }: Pick<TableFiles, 'files' | 'format'>,
  read: () => Promise<Result>,
): Promise<Result | { readonly fault: { readonly file: string; readonly reason: string } }> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof RowError) return { fault: await placedFault(connection, { files, format }, thrown.fault) };
    for (const file of files.length > 1 ? files : []) {
      const unread = await faultOf(connection, file, format);
      if (unread) return unread;
    }
    throw thrown;
  }
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
