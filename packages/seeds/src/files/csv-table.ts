import type { DuckDBConnection } from '@duckdb/node-api';
import { quotedName, quotedPaths, quotedText } from '../duck-db/sql-text.ts';
import { type CsvDialect, csvDialect, type CsvDoubt } from './csv-dialect.ts';
import { csvTypes } from './csv-types.ts';
import { type LackedColumn, lackedColumns } from './join-parquet.ts';
import { readHead } from './read-head.ts';

/** The delimiter is decided by so much of a file. */
const HEAD_BYTES = 256 * 1024;
const BUFFER_BYTES = 32 * 1024 * 1024;
/** DuckDB takes minutes and gigabytes for more columns. */
const MAX_COLUMNS = 5000;

/** How CSV files are read, as declared. */
export interface CsvOptions {
  readonly delimiter?: string | undefined;
  readonly header?: boolean | undefined;
  readonly maxRowBytes: number;
  /** The columns that are read as text, whatever they hold. */
  readonly texts?: readonly string[];
}

/** A CSV table: its SQL, and how it is read. */
export interface CsvTable {
  readonly sql: string;
  /** SQL of the parts that it joins; none if all files are written alike. */
  readonly parts: readonly string[];
  /** How the first file is written. */
  readonly dialect: CsvDialect;
  /** Columns that repeat an earlier name, under their new name. */
  readonly renamed: readonly { readonly name: string; readonly readAs: string }[];
  readonly lacking: readonly LackedColumn[];
  /** Undefined if no type was guessed, so that no row was read. */
  readonly rows: number | undefined;
}

interface Part extends CsvDialect {
  readonly files: string[];
  /** The names of the columns, each once. */
  readonly columns: readonly string[];
}

/** Reads how CSV files are written and decides the types of their columns by all rows. */
export async function csvTable(
  connection: DuckDBConnection,
  files: readonly string[],
  options: CsvOptions,
): Promise<CsvTable | (CsvDoubt & { readonly file: string })> {
  const parts: Part[] = [];
  for (const file of files) {
    const part = await fileDialect(file, options);
    if ('reason' in part) return { ...part, file };
    if (part.columns.length === 0) continue;
    const last = parts.at(-1);
    if (last && keyOf(last) === keyOf(part)) last.files.push(file);
    else parts.push(part);
  }
  const [first] = parts;
  if (!first) return { ...EMPTY, file: String(files[0]) };
  const names = uniqueNames(parts.flatMap(({ columns }) => columns));
  const texts = new Map(names.map((name) => [name, 'VARCHAR']));
  const guessed = names.filter((name) => !options.texts?.includes(name));
  const { types: found, rows } = await csvTypes(connection, guessed, partsSql(parts, texts, options));
  const types = new Map([...texts, ...found]);
  return {
    sql: partsSql(parts, types, options),
    parts: parts.length > 1 ? parts.map((part) => partSql(part, types, options)) : [],
    dialect: first,
    rows,
    renamed: parts.flatMap(renamedIn),
    lacking: lackedColumns(
      names,
      parts.map((part) => ({ file: String(part.files[0]), names: part.columns })),
    ),
  };
}

/** Reads all columns of CSV files as text. DuckDB fails within itself on bytes of another encoding in a query of few columns. */
export async function readTexts(
  connection: DuckDBConnection,
  files: readonly string[],
  options: CsvOptions,
): Promise<void> {
  for (const file of files) {
    const part = await fileDialect(file, options);
    if ('reason' in part || part.columns.length === 0) continue;
    await connection.run(`SELECT count(COLUMNS(*)) FROM ${readSql(part, new Map(), options)}`);
  }
}

/** How a CSV file is written, by its first bytes. */
export async function fileDialect(file: string, options: CsvOptions, headBytes = HEAD_BYTES): Promise<Part | CsvDoubt> {
  const { bytes, isWhole } = await readHead(file, headBytes);
  const known = SIGNATURES.find(([signature]) => bytes.toString('latin1', 0, 4).startsWith(signature));
  if (known) return { line: 1, reason: known[1], remedy: known[2] };
  const text = new TextDecoder().decode(bytes, { stream: !isWhole });
  const byName = /\.tsv(?:\.\w+)?$/i.test(file) ? '\t' : undefined;
  const { delimiter = byName, header } = options;
  const dialect = csvDialect(text, { delimiter, header, isWhole });
  if ('reason' in dialect) return dialect;
  // The line of the header is longer than the head.
  if (dialect.names.length === 0 && headBytes < options.maxRowBytes)
    return fileDialect(file, options, options.maxRowBytes);
  const { length } = dialect.names;
  if (length > MAX_COLUMNS) return tooWide(length);
  return { ...dialect, files: [file], columns: deduped(dialect.names) };
}

function tooWide(columns: number): CsvDoubt {
  const reason = `it has ${columns} columns, and reading them needs more memory than is reserved for seeds`;
  return { line: 1, reason, remedy: 'Keep only the columns that the dataset uses.' };
}

const EMPTY: CsvDoubt = {
  line: 1,
  reason: 'it is empty',
  remedy: 'Add the names of the columns and at least one row.',
};

/** The first bytes of files that are no CSV, what they are, and what to do. */
const SIGNATURES = [
  ['\x1f\x8b', 'it is packed with gzip', 'Give it a name that ends in .csv.gz.'],
  ['\x28\xb5\x2f\xfd', 'it is packed with zstd', 'Give it a name that ends in .csv.zst.'],
  ['PK\x03\x04', 'it is a ZIP archive or an Excel workbook', 'Save its table as CSV.'],
  ['PAR1', 'it is a Parquet file', 'Give it a name that ends in .parquet.'],
] as const;

function keyOf({ files: _, ...part }: Part): string {
  return JSON.stringify(part);
}

/** Names that differ for DuckDB, which ignores case: a repeated one gets a number. */
function deduped(names: readonly string[]): string[] {
  const written = new Set(names.map((name) => name.toLowerCase()));
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let copy = 1; taken.has(free.toLowerCase()) || (free !== name && written.has(free.toLowerCase())); copy++)
      free = `${name}_${copy}`;
    taken.add(free.toLowerCase());
    return free;
  });
}

function renamedIn({ names, columns }: Part): CsvTable['renamed'] {
  return columns.flatMap((readAs, index) => {
    const name = names[index] ?? readAs;
    if (readAs === name) return [];
    const first = names.find((other) => other.toLowerCase() === name.toLowerCase()) ?? name;
    return [{ name: first, readAs }];
  });
}

function uniqueNames(names: readonly string[]): string[] {
  const byName = new Map<string, string>();
  for (const name of names) if (!byName.has(name.toLowerCase())) byName.set(name.toLowerCase(), name);
  return [...byName.values()];
}

function partsSql(parts: readonly Part[], types: ReadonlyMap<string, string>, options: CsvOptions): string {
  const [first] = parts;
  if (first && parts.length === 1) return readSql(first, types, options);
  return `(${parts.map((part) => partSql(part, types, options)).join(' UNION ALL ')})`;
}

/** SQL of a part with all columns of the table. */
function partSql(part: Part, types: ReadonlyMap<string, string>, options: CsvOptions): string {
  const columns = [...types].map(([name, type]) => {
    const own = part.columns.find((column) => column.toLowerCase() === name.toLowerCase());
    return `${own === undefined ? `CAST(NULL AS ${type})` : quotedName(own)} AS ${quotedName(name)}`;
  });
  return `SELECT ${columns.join(', ')} FROM ${readSql(part, types, options)}`;
}

function readSql(part: Part, types: ReadonlyMap<string, string>, { maxRowBytes }: CsvOptions): string {
  const typeOf = new Map([...types].map(([name, type]) => [name.toLowerCase(), type]));
  const columns = part.columns.map(
    (name) => `${quotedText(name)}: ${quotedText(typeOf.get(name.toLowerCase()) ?? 'VARCHAR')}`,
  );
  const signs = `delim = ${quotedText(part.delimiter)}, quote = ${quotedText(part.quote)}, escape = ${quotedText(part.escape)}`;
  const lines = `skip = ${part.skip}, header = ${part.hasHeader}`;
  const size = `max_line_size = ${maxRowBytes}, buffer_size = ${Math.max(BUFFER_BYTES, maxRowBytes)}`;
  const { files } = part;
  return `read_csv(${quotedPaths(files)}, auto_detect = false, ${signs}, ${lines}, ${size}, columns = {${columns.join(', ')}})`;
}
