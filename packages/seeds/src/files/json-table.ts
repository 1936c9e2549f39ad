import type { DuckDBConnection, DuckDBResultReader } from '@duckdb/node-api';
import { quotedName, quotedPaths, quotedText } from '../duck-db/sql-text.ts';
import type { LackedColumn } from './join-parquet.ts';
import { infinityTest, roundingTest, shortenedNumber } from './json-numbers.ts';
import { type RenamedColumn, renamedColumns } from './renamed-columns.ts';
import { RowError } from './row-place.ts';
import { mapScalars, type TableType, tableType, typeSql } from './table-type.ts';

/** Types that DuckDB guesses for JSON strings. */
const GUESSED = /^(?:DATE|TIME|TIMESTAMP|UUID)/;
/** With more keys DuckDB reads objects as a map, and a table of them as one column of this name. */
const MANY_KEYS = 200;
const ONE_COLUMN = 'json';

/** The table in JSON files as SQL, and the columns that DuckDB renamed. */
interface JsonTable {
  readonly sql: string;
  readonly renamed: readonly RenamedColumn[];
  /** Columns that no row of a file has, once each, with the first such file. */
  readonly lacking: readonly LackedColumn[];
  /** The fractions whose last digits no float holds; absent without one. */
  readonly shortened?: ShortenedNumbers;
}

/** Fractions with more digits than a float. */
export interface ShortenedNumbers {
  /** How many rows have one. */
  readonly rows: number;
  /** The first one, and its row. */
  readonly number: string;
  readonly row: number;
}

/** How the files are read. */
interface JsonOptions {
  readonly maxRowBytes: number;
  /** The columns that are declared text: their numbers are text as JSON writes them, `2` and not `2.0`. */
  readonly texts: ReadonlySet<string>;
}

/** The table in JSON files: all rows decide the types, strings stay text, and no integer is rounded. */
export async function jsonTable(
  connection: DuckDBConnection,
  files: readonly string[],
  { maxRowBytes, texts }: JsonOptions,
): Promise<JsonTable> {
  const rowLimit = `maximum_object_size = ${maxRowBytes}`;
  const options = `sample_size = -1, maximum_sample_files = ${files.length}, ${rowLimit}`;
  const paths = quotedPaths(files);
  const { guessed, head } = await guessedTable(connection, `${paths}, union_by_name = true, ${options}`);
  const names = head.columnNames();
  if (isOneColumn(head) && head.columnType(0).alias === 'JSON')
    await refuseMixedRows(connection, `${paths}, ${rowLimit}`);
  const renamed = await renamedColumns(connection, names, { files, format: 'json' });
  const found = names.map((name, index) => ({ name, type: tableType(head.columnType(index)) }));
  const typed = found.map(({ name, type }) => ({
    name,
    type: texts.has(name)
      ? 'VARCHAR'
      : mapScalars(narrowed(type), (scalar) => (GUESSED.test(scalar) ? 'VARCHAR' : scalar)),
  }));
  const floats = typed.filter(({ type }) => hasDouble(type));
  const rounded = await roundedColumns(connection, floats, { paths, options });
  const shortened = await shortenedNumbers(connection, floats.length > 0 ? `${paths}, ${rowLimit}` : undefined);
  const wanted = typed.map(({ name, type }) => (rounded.has(name) ? { name, type: 'JSON' } : { name, type }));
  const isChanged = JSON.stringify(wanted) !== JSON.stringify(found);
  // DuckDB finds the keys of declared columns without regard to case.
  if (isChanged && renamed[0]) {
    const { name } = renamed[0];
    throw new Error(
      `two keys have the name '${name}' apart from upper and lower case, so its values cannot keep their types`,
    );
  }
  // Without declared columns, DuckDB reads all rows for their types again in each query.
  const isDeclared = isChanged || (!renamed[0] && !names.includes(ONE_COLUMN));
  const sql = isDeclared ? `read_json(${paths}, columns = ${columnsSql(wanted)}, ${options})` : guessed;
  const lacking = files.length > 1 ? await lackedKeys(connection, { sql, files, names, renamed, rowLimit }) : [];
  return { sql, renamed, lacking, ...(shortened && { shortened }) };
}

/** A table, and how long a row may be. */
interface KeyedTable extends Pick<JsonTable, 'sql' | 'renamed'> {
  readonly files: readonly string[];
  readonly names: readonly string[];
  readonly rowLimit: string;
}

/** The columns whose keys no row of a file has. One with nulls alone in a file may have its key. */
async function lackedKeys(
  connection: DuckDBConnection,
  { sql, files, names, renamed, rowLimit }: KeyedTable,
): Promise<LackedColumn[]> {
  const fileColumn = `file${'_'.repeat(Math.max(...names.map((name) => name.length)))}`;
  const namingFiles = sql.replace(/\)$/, `, filename = ${quotedText(fileColumn)})`);
  const filled = await valuesByFile(connection, {
    source: namingFiles,
    fileColumn: quotedName(fileColumn),
    values: names.map((name) => `count(${quotedName(name)}) > 0`),
  });
  // An empty file has no rows that could lack anything.
  const doubtful = files.filter((file) => filled.get(file)?.includes(false));
  if (doubtful.length === 0) return [];
  const keys = names.map((name) => renamed.find(({ readAs }) => readAs === name)?.name ?? name);
  const present = await valuesByFile(connection, {
    source: `read_json_objects(${quotedPaths(doubtful)}, ${rowLimit}, filename = true)`,
    fileColumn: 'filename',
    values: keys.map((key) => `bool_or(json_exists(json, ${quotedText(pointerTo(key))}))`),
  });
  return names.flatMap((name, index) => {
    const file = doubtful.find((one) => filled.get(one)?.[index] === false && present.get(one)?.[index] === false);
    return file === undefined ? [] : { file, name };
  });
}

interface FileValues {
  readonly source: string;
  readonly fileColumn: string;
  /** SQL of values over the rows of a file. */
  readonly values: readonly string[];
}

async function valuesByFile(
  connection: DuckDBConnection,
  { source, fileColumn, values }: FileValues,
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const read = await connection.runAndReadAll(
    `SELECT ${[fileColumn, ...values].join(', ')} FROM ${source} GROUP BY ${fileColumn}`,
  );
  return new Map(read.getRowsJson().map(([file, ...rest]) => [file as string, rest]));
}

/** A key as a JSON pointer. */
function pointerTo(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The table as DuckDB guesses it, with a column for each key however many there are. */
async function guessedTable(connection: DuckDBConnection, args: string) {
  const guess = async (sql: string) => ({
    guessed: sql,
    head: await connection.runAndReadAll(`SELECT * FROM ${sql} LIMIT 0`),
  });
  const first = await guess(`read_json(${args})`);
  const { head } = first;
  if (!isOneColumn(head) || !('keyType' in head.columnType(0))) return first;
  return guess(`read_json(${args}, map_inference_threshold = -1)`);
}

/** Objects of many keys as JSON, where every row would hold every key of any row. */
function narrowed(type: TableType): TableType {
  if (typeof type === 'string') return type;
  if ('list' in type) return { list: narrowed(type.list) };
  if ('map' in type) return { map: [type.map[0], narrowed(type.map[1])] };
  if (type.struct.length > MANY_KEYS) return 'JSON';
  return { struct: type.struct.map((member) => ({ ...member, type: narrowed(member.type) })) };
}

function isOneColumn(head: DuckDBResultReader): boolean {
  return head.columnCount === 1 && head.columnName(0) === ONE_COLUMN;
}

/** Throws for a row that is no object beside others that are: DuckDB then makes one column of all. */
async function refuseMixedRows(connection: DuckDBConnection, files: string): Promise<void> {
  const source = `SELECT row_number() OVER () AS row_index, json_type(json) AS type FROM read_json_objects(${files})`;
  const read = await connection.runAndReadAll(
    `SELECT count_if(type = 'OBJECT'), min(row_index) FILTER (type <> 'OBJECT') FROM (${source})`,
  );
  const [objects, row] = read.getRowsJson()[0] ?? [];
  if (Number(objects) === 0 || row === null) return;
  throw new RowError({ row: Number(row), reason: (place) => `${place} is no object, and other rows are` });
}

interface Column {
  readonly name: string;
  readonly type: TableType;
}

function columnsSql(columns: readonly Column[]): string {
  return `{${columns.map(({ name, type }) => `${quotedName(name)}: ${quotedText(typeSql(type))}`).join(', ')}}`;
}

function hasDouble(type: TableType): boolean {
  let found = false;
  mapScalars(type, (scalar) => {
    found ||= scalar === 'DOUBLE';
    return scalar;
  });
  return found;
}

/** The columns of floats that hold an integer which a float would round. Throws for a number beyond all floats. */
async function roundedColumns(
  connection: DuckDBConnection,
  columns: readonly Column[],
  { paths, options }: { readonly paths: string; readonly options: string },
): Promise<ReadonlySet<string>> {
  if (columns.length === 0) return new Set();
  const raw = columnsSql(columns.map(({ name }) => ({ name, type: 'JSON' })));
  const source = `read_json(${paths}, columns = ${raw}, ${options})`;
  const quoted = columns.map(({ name }) => quotedName(name));
  const tests = quoted.flatMap((name) => [`bool_or(${roundingTest(name)})`, `bool_or(${infinityTest(name)})`]);
  const read = await connection.runAndReadAll(`SELECT ${tests.join(', ')} FROM ${source}`);
  const [row = []] = read.getRowsJson();
  for (const [index, { name }] of columns.entries())
    if (row[index * 2 + 1] === true) await refuseInfinity(connection, name, source);
  return new Set(columns.flatMap(({ name }, index) => (row[index * 2] === true ? [name] : [])));
}

/** The fractions in rows that a float shortens. A value of the type JSON has lost the digits, so the text of each row is read. */
async function shortenedNumbers(
  connection: DuckDBConnection,
  files: string | undefined,
): Promise<ShortenedNumbers | undefined> {
  if (files === undefined) return undefined;
  const source = `read_json_objects(${files})`;
  const long = shortenedNumber('CAST(json AS VARCHAR)');
  const counted = await connection.runAndReadAll(`SELECT count(*) FROM ${source} WHERE ${long} IS NOT NULL`);
  const rows = Number(counted.getRowsJson()[0]?.[0]);
  if (rows === 0) return undefined;
  const numbered = `SELECT row_number() OVER () AS row_index, json FROM ${source}`;
  const read = await connection.runAndReadAll(
    `SELECT row_index, ${long} FROM (${numbered}) WHERE ${long} IS NOT NULL LIMIT 1`,
  );
  const [row, number] = read.getRowsJson()[0] ?? [];
  return { rows, row: Number(row), number: typeof number === 'string' ? number : '' };
}

async function refuseInfinity(connection: DuckDBConnection, name: string, source: string): Promise<never> {
  const numbered = `SELECT row_number() OVER () AS row_index, ${quotedName(name)} AS value FROM ${source}`;
  const read = await connection.runAndReadAll(
    `SELECT row_index FROM (${numbered}) WHERE ${infinityTest('value')} LIMIT 1`,
  );
  const row = Number(read.getRowsJson()[0]?.[0]);
  const reason = (place: string) =>
    `the value of '${name}' in ${place} has a number that is too large, which would become infinite`;
  throw new RowError({ row, reason });
}
