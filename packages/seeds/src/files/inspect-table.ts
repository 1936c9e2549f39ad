import { stat } from 'node:fs/promises';
import type { DuckDBConnection, DuckDBResultReader } from '@duckdb/node-api';
import type { DeclaredTable, TableFormat } from '@data-designer/config';
import { type ArrowField, type ArrowType, DataDesignerError, type Finding, messageOf } from '@data-designer/core';
import type { FileStamp } from '@data-designer/dataset';
import { arrowOfDuckDb } from '../arrow/arrow-of-duck-db.ts';
import { cutNanoseconds } from './cut-nanoseconds.ts';
import { duckDbFile, duckDbReason, duckDbRemedy } from '../duck-db/duck-db-reason.ts';
import { withBytesInOneForm } from './bytes-columns.ts';
import { exactTable } from './exact-types.ts';
import type { LackedColumn } from './join-parquet.ts';
import { FLOAT_DIGITS } from './json-numbers.ts';
import type { ShortenedNumbers } from './json-table.ts';
import { nameWarnings } from './name-warnings.ts';
import { isJsonTooDeep, TOO_DEEP } from './json-depth.ts';
import { parquetFault } from './parquet-depth.ts';
import { withNullTypes } from './null-columns.ts';
import { type PlainTable, readPlainCsv } from '../tables/read-plain-csv.ts';
import { csvReason, openFiles, type OpenedFiles, type TableFiles } from './open-files.ts';
import {
  mixedBytes,
  seedError,
  type SeedInspection,
  seedWarning,
  type TableReading,
  unreadRows,
} from '../seed-reader.ts';
import { rowBytesOf } from './row-bytes.ts';
import { nameOf, placedFault } from './row-place.ts';
import { canBeNamed } from '../duck-db/sql-text.ts';
import type { OpenTable, RowSource, SourceFile } from '../tables/table-source.ts';
import { withDuckDb } from '../duck-db/with-duck-db.ts';
import { writeParts } from '../tables/write-parts.ts';

/** Findings name at most this many bad files. */
const MAX_NAMED = 5;

/** How a table is inspected. */
export interface TableOptions {
  readonly format: TableFormat;
  /** Whether to count the rows. */
  readonly isCounted: boolean;
  /** The names of files in messages and records, by path; the paths unless given. */
  readonly names?: ReadonlyMap<string, string>;
  /** How the files are read, as declared. */
  readonly declared?: DeclaredTable;
  /** Where copies of files in other encodings are written. */
  readonly copyFolder?: TableFiles['copyFolder'];
}

/** Reads the first row of each file of a table, by absolute path. Skips empty files among others. */
export async function inspectTable(paths: readonly string[], options: TableOptions): Promise<SeedInspection> {
  const { findings, ...inspection } = await inspectPaths(paths, options);
  return { ...inspection, findings: findings.map((finding) => withNames(finding, options.names ?? new Map())) };
}

/** A finding that names files as the user knows them. */
function withNames(finding: Finding, names: ReadonlyMap<string, string>): Finding {
  const found = [...names].filter(([path]) => finding.message.includes(path));
  return { ...finding, message: found.reduce((text, [path, name]) => text.replaceAll(path, name), finding.message) };
}

async function inspectPaths(
  paths: readonly string[],
  { format, isCounted, names, declared = {}, copyFolder }: TableOptions,
): Promise<SeedInspection> {
  const files: SourceFile[] = [];
  const findings: Finding[] = [];
  for (const path of paths) {
    const stamp = await readableStamp(path, format);
    if (typeof stamp === 'string') findings.push(unreadable(path, stamp));
    else files.push({ path, name: names?.get(path) ?? path, stamp });
    if (findings.length === MAX_NAMED) break;
  }
  if (findings.length > 0) return unreadRows(findings);
  const filled = files.filter(({ stamp }) => stamp?.size !== 0).map(({ path }) => path);
  if (filled.length === 0) return empty(paths);
  const isPlain = format === 'csv' && (declared.delimiter ?? ',') === ',' && isUndeclared(declared);
  const plain = isPlain ? await plainTable(files) : undefined;
  if (plain) return plain;
  const table = { files: filled, format, isCounted, options: declared, copyFolder };
  const seen = await withDuckDb((connection) => readTable(connection, table)).catch(
    async (first: unknown): Promise<TableInspection> => {
      const thrown = format === 'csv' ? await csvReason(first, table) : first;
      const file = duckDbFile(thrown) ?? nameOf(filled);
      return unreadRows([unreadable(file, duckDbReason(thrown), duckDbRemedy(thrown))]);
    },
  );
  const { open, ...inspection } = seen;
  const [first = ''] = filled;
  return open
    ? { ...inspection, source: { ...fileRows(files, open), rowBytes: await rowBytesOf(first, format) } }
    : inspection;
}

/** Whether a declaration leaves the reading to the files. */
function isUndeclared({ encoding = 'utf-8', header, types }: DeclaredTable): boolean {
  return encoding === 'utf-8' && header === undefined && types === undefined;
}

/** The only file of a table if it has one obvious reading, for which DuckDB is not loaded. */
async function plainTable(files: readonly SourceFile[]): Promise<SeedInspection | undefined> {
  const [file] = files;
  if (!file || files.length > 1) return undefined;
  const read = (): Promise<PlainTable | undefined> => readPlainCsv(file.path, file.stamp?.size ?? 0);
  const table = await read().catch(() => undefined);
  if (!table) return undefined;
  const { fields, rows } = table;
  const columns = fields.map(({ name }) => name);
  return {
    columns: fields,
    rows,
    findings: [],
    reading: { format: 'csv', files: 1, encoding: 'utf-8', delimiter: ',', quote: '"', header: true },
    source: {
      ...fileRows(files, () => openPlain(file.path, columns)),
      rowBytes: (file.stamp?.size ?? 0) / Math.max(1, rows),
      plain: read,
    },
  };
}

/** A plain table as DuckDB reads it, for a run that does not take its rows in order. */
async function openPlain(path: string, columns: readonly string[]): Promise<OpenTable> {
  const opened = await withDuckDb((connection) => openFiles(connection, { files: [path], format: 'csv' }));
  if (opened.fault) throw new DataDesignerError('seed/unreadable', { source: path, reason: opened.fault.reason });
  return { sql: opened.sql, columns };
}

/** The rows of a table's files, in order. */
function fileRows(files: readonly SourceFile[], open: RowSource['open']): RowSource {
  const first = String(files[0]?.name);
  return { name: files.length === 1 ? first : `${first} and ${files.length - 1} more`, files, open };
}

/** The size and time of a file that DuckDB can read, or why it cannot. */
async function readableStamp(file: string, format: TableFormat): Promise<FileStamp | string> {
  try {
    const stats = await stat(file);
    if (!stats.isFile()) return stats.isDirectory() ? 'it is a folder' : 'it is not a regular file';
    if (!canBeNamed(file)) return 'its path contains a backslash together with *, ? or [';
    const fault = stats.size > 0 ? await FAULTS[format](file) : undefined;
    if (fault !== undefined) return fault;
    return { size: stats.size, mtimeMs: stats.mtimeMs };
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/** Why DuckDB must not read a file of each format. */
const FAULTS: Readonly<Record<TableFormat, (file: string) => Promise<string | undefined> | undefined>> = {
  csv: () => undefined,
  json: jsonFault,
  jsonl: jsonFault,
  parquet: parquetFault,
};

async function jsonFault(file: string): Promise<string | undefined> {
  return (await isJsonTooDeep(file)) ? TOO_DEEP : undefined;
}

function unreadable(file: string, reason: string, remedy = 'Correct the file or the path.'): Finding {
  return seedError('seed_unreadable', `${file} cannot be read: ${reason}.`, remedy);
}

function empty(files: readonly string[], columns?: readonly ArrowField[]): SeedInspection {
  const message =
    files.length === 1
      ? `${files[0]} has no rows.`
      : `None of the ${files.length} files has rows (the first is ${files[0]}).`;
  return { columns, rows: 0, findings: [seedError('seed_empty', message, 'Add at least one row.')] };
}

interface Table extends TableFiles {
  readonly isCounted: boolean;
}

/** An inspection, and how to open the table that it found. */
interface TableInspection extends SeedInspection {
  readonly open?: RowSource['open'];
}

async function readTable(connection: DuckDBConnection, table: Table): Promise<TableInspection> {
  const { files, format, isCounted } = table;
  const opened = await openFiles(connection, table);
  if (opened.fault) {
    const { file, reason, remedy } = opened.fault;
    return unreadRows([unreadable(file, reason, remedy)]);
  }
  const first = await headOf(connection, opened.sql);
  const hasMoments = first.columnTypes().some((type) => type.toString().includes('TIMESTAMP'));
  const cut = format === 'parquet' && hasMoments ? await cutMoments(files) : [];
  if (cut.some(({ level }) => level === 'ERROR')) return unreadRows(cut);
  const { mixed, ...texts } = await withBytesInOneForm(connection, opened, first);
  const exact = await exactTable(
    connection,
    texts,
    texts.sql === opened.sql ? first : await headOf(connection, texts.sql),
  );
  if (exact.fault !== undefined) {
    const { file, reason, remedy } = await placedFault(connection, table, exact.fault);
    return unreadRows([unreadable(file, reason, remedy)]);
  }
  const { sql, parts, types } = exact;
  const { renamed, lacking, shortened, rows: counted }: OpenedFiles = opened;
  const head = sql === opened.sql ? first : await headOf(connection, sql);
  // DuckDB guesses the columns of an empty JSON file.
  if (head.currentRowCount === 0) return empty(files, holdsColumns(format) ? fieldsOf(head, new Map()) : undefined);
  const found = fieldsOf(head, types);
  const fields = format === 'parquet' && parts.length === 0 ? await withNullTypes(found, files) : found;
  const rows = isCounted ? (counted ?? (await numberOf(connection, `SELECT count(*) FROM ${sql}`))) : undefined;
  const columns = fields.map(({ name }) => name);
  return {
    columns: fields,
    rows,
    reading: readingOf(table, opened),
    findings: [
      ...renamed.map(renamedWarning),
      ...lacking.map(lackingWarning),
      ...(shortened ? [await shortenedWarning(connection, table, shortened)] : []),
      ...(format === 'csv' ? nameWarnings(opened.dialect?.unnamed ?? [], head) : []),
      ...mixed.map(mixedBytes),
      ...cut,
    ],
    open: (context) => (parts.length > 0 ? writeParts({ parts, fields }, context) : Promise.resolve({ sql, columns })),
  };
}

function readingOf({ format, files }: Table, { encoding, dialect }: OpenedFiles): TableReading {
  const { delimiter, quote, hasHeader: header } = dialect ?? {};
  return {
    format,
    files: files.length,
    ...(encoding !== undefined && { encoding }),
    ...(delimiter !== undefined && { delimiter }),
    ...(quote !== undefined && { quote }),
    ...(header !== undefined && { header }),
  };
}

/** The first file with moments whose nanoseconds are not read; warnings for those of which that cannot be said. */
async function cutMoments(files: readonly string[]): Promise<readonly Finding[]> {
  const unsure: Finding[] = [];
  for (const file of files) {
    const cut = await cutNanoseconds(file);
    if (cut === undefined) continue;
    const remedy = `Convert '${cut.name}' to microseconds or to text.`;
    const reason = `column '${cut.name}' has moments with nanoseconds, of which only microseconds can be read`;
    if (cut.isSure) return [unreadable(file, reason, remedy)];
    const message = `${file}: the moments of column '${cut.name}' are read in microseconds, and whether they have nanoseconds is unknown.`;
    unsure.push(seedWarning('seed_nanoseconds', message, remedy));
  }
  return unsure.slice(0, MAX_NAMED);
}

/** Whether files of a format name their columns once, not in each row. */
function holdsColumns(format: TableFormat): boolean {
  return format === 'parquet' || format === 'csv';
}

function headOf(connection: DuckDBConnection, sql: string): Promise<DuckDBResultReader> {
  return connection.runAndReadAll(`SELECT * FROM ${sql} LIMIT 1`);
}

function fieldsOf(head: DuckDBResultReader, exact: ReadonlyMap<string, ArrowType>): ArrowField[] {
  return head.columnNames().map((name, index) => {
    const column = arrowOfDuckDb(name, head.columnType(index));
    return { ...column, type: exact.get(name) ?? column.type };
  });
}

async function numberOf(connection: DuckDBConnection, sql: string): Promise<number> {
  const reader = await connection.runAndReadAll(sql);
  return Number(reader.getRowsJson()[0]?.[0]);
}

function renamedWarning({ name, readAs }: { readonly name: string; readonly readAs: string }): Finding {
  const message = `two columns have the name '${name}' (upper and lower case are the same here); the second one is read as '${readAs}'.`;
  return seedWarning('seed_column_twice', message, `Use the name '${readAs}' for it, or rename it in the file.`);
}

async function shortenedWarning(
  connection: DuckDBConnection,
  table: Table,
  { rows, row, number }: ShortenedNumbers,
): Promise<Finding> {
  const many = rows === 1 ? '' : `, the first of ${rows} rows with such numbers`;
  const told = (place: string) =>
    `${number} in ${place} has more than ${FLOAT_DIGITS} digits, and a float keeps the first ${FLOAT_DIGITS}${many}.`;
  const { file, reason } = await placedFault(connection, table, { row, reason: told });
  const message = table.files.length === 1 ? reason : `${file}: ${reason}`;
  return seedWarning('seed_digits_lost', message, 'Write such numbers as text to keep all digits.');
}

function lackingWarning({ file, name }: LackedColumn): Finding {
  const message = `${file} has no column '${name}', which other files have; it is null in the rows of this file.`;
  return seedWarning('seed_column_lacking', message, 'Add the column to the file, or leave the file out.');
}
