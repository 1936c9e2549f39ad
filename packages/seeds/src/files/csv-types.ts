import type { DuckDBConnection } from '@duckdb/node-api';
import { quotedName } from '../duck-db/sql-text.ts';

/** Types of CSV columns in their order of preference. */
const TESTS = {
  BOOLEAN: (text: string) => `lower(${text}) IN ('true', 'false')`,
  BIGINT: (text: string) => `CAST(TRY_CAST(${text} AS BIGINT) AS VARCHAR) = ${text}`,
  DOUBLE: doubleTest,
  // Without infinity, years before Christ and years of five digits.
  DATE: (text: string) => `strlen(${text}) = 10 AND CAST(TRY_CAST(${text} AS DATE) AS VARCHAR) = ${text}`,
  TIME: (text: string) => formTest(text, { type: 'TIME', form: CLOCK }),
  TIMESTAMP: stampTest,
  TIMESTAMPTZ: (text: string) => formTest(text, { type: 'TIMESTAMPTZ', form: String.raw`${STAMP}(Z|\+00(:?00)?)` }),
} as const;

type CsvType = keyof typeof TESTS;

const TYPES = Object.keys(TESTS) as CsvType[];
/** Without 24:00, which becomes the next day. */
const CLOCK = String.raw`([01]\d|2[0-3]):\d\d:\d\d(\.\d{1,6})?`;
const STAMP = String.raw`\d{4}-\d\d-\d\d[ T]${CLOCK}`;
const PLAIN = String.raw`-?(0|[1-9]\d{0,7})\.\d{1,6}|0|-?[1-9]\d{0,7}`;
const NUMBER = String.raw`-?(0|[1-9]\d*)(\.\d+([eE][-+]?\d+)?|[eE][-+]\d+)?`;

/** The first rows, which suggest a type. */
const SAMPLE_ROWS = 2048;

/** The smallest number that a float holds with all its digits. */
const LEAST = '2.3e-308';

/** A number that a float holds: at most 15 digits and not too small, or the shortest text of the float. */
function doubleTest(text: string): string {
  const number = `TRY_CAST(${text} AS DOUBLE)`;
  const digits = String.raw`length(regexp_replace(${text}, '[eE].*|^-?0?\.?0*|[^0-9]', '', 'g'))`;
  const isHeld = `${digits} <= 15 AND (abs(${number}) >= ${LEAST} OR ${digits} = 0)`;
  const short = `regexp_full_match(${text}, '${NUMBER}') AND ${text} <> '-0' AND ${isHeld}`;
  const exact = `WHEN CAST(${number} AS VARCHAR) = ${text} THEN isfinite(${number})`;
  // Most numbers are of this form, and writing floats is slow.
  return `CASE WHEN regexp_full_match(${text}, '${PLAIN}') THEN true ${exact} ELSE ${short} END`;
}

function formTest(text: string, { type, form }: { readonly type: CsvType; readonly form: string }): string {
  return `CASE WHEN regexp_full_match(${text}, '${form}') THEN TRY_CAST(${text} AS ${type}) IS NOT NULL ELSE false END`;
}

function stampTest(text: string): string {
  // Most timestamps are of this form, and matching is slow.
  const plain = `strlen(${text}) = 19 AND CAST(TRY_CAST(${text} AS TIMESTAMP) AS VARCHAR) = ${text}`;
  return `CASE WHEN ${plain} THEN true ELSE ${formTest(text, { type: 'TIMESTAMP', form: STAMP })} END`;
}

/** A longer text is kept by no type but text; tests of long cells take seconds. */
const MAX_BYTES = 64;

/** SQL of the number of texts that a type keeps. */
function keptCount(name: string, type: CsvType): string {
  const text = quotedName(name);
  return `count_if(CASE WHEN strlen(${text}) > ${MAX_BYTES} THEN false ELSE ${TESTS[type](text)} END)`;
}

/** The time of a query grows with the square of its columns. */
const COLUMNS_AT_ONCE = 100;

/** The types of a table's columns, by name, and the number of its rows. */
export interface CsvTypes {
  readonly types: ReadonlyMap<string, string>;
  /** Undefined for a table without columns. */
  readonly rows: number | undefined;
}

/**
 * The type of each text column of a table: the first that keeps the value of every cell, `VARCHAR` if none does. All
 * rows are read for the type that the first rows suggest, and counted.
 */
export async function csvTypes(connection: DuckDBConnection, names: readonly string[], sql: string): Promise<CsvTypes> {
  const found = new Map<string, string>();
  let rows: number | undefined;
  for (let at = 0; at < names.length; at += COLUMNS_AT_ONCE) {
    const some = await someTypes(connection, names.slice(at, at + COLUMNS_AT_ONCE), sql);
    for (const [name, type] of some.types) found.set(name, type);
    rows ??= some.rows;
  }
  return { types: found, rows };
}

async function someTypes(connection: DuckDBConnection, names: readonly string[], sql: string): Promise<CsvTypes> {
  const sampled = await keptTypes(connection, names, `(SELECT * FROM ${sql} LIMIT ${SAMPLE_ROWS})`);
  const found = new Map<string, string>(names.map((name) => [name, 'VARCHAR']));
  const suggested = names.flatMap((name) => {
    const type = sampled.get(name)?.[0];
    return type === undefined ? [] : [{ name, type }];
  });
  const tests = suggested.flatMap(({ name, type }) => [`count(${quotedName(name)})`, keptCount(name, type)]);
  // A column that is counted is decoded, so that bytes of another encoding are found.
  const texts = names.filter((name) => !sampled.get(name)?.[0]).map((name) => `count(${quotedName(name)})`);
  const [rows, ...counts] = await countsIn(connection, ['count(*)', ...tests, ...texts], sql);
  const again: string[] = [];
  for (const [index, { name, type }] of suggested.entries()) {
    const [filled, kept] = counts.slice(index * 2);
    if (filled !== kept) again.push(name);
    else if (filled !== 0) found.set(name, type);
  }
  const all = again.length > 0 ? await keptTypes(connection, again, sql) : new Map<string, readonly CsvType[]>();
  for (const [name, types] of all) found.set(name, types[0] ?? 'VARCHAR');
  return { types: found, rows };
}

/** The types that keep every cell, by column, the preferred one first. */
async function keptTypes(
  connection: DuckDBConnection,
  names: readonly string[],
  sql: string,
): Promise<Map<string, readonly CsvType[]>> {
  const columns = names.map((name) => [`count(${quotedName(name)})`, ...TYPES.map((type) => keptCount(name, type))]);
  const counts = await countsIn(connection, columns.flat(), sql);
  const width = TYPES.length + 1;
  return new Map(
    names.map((name, index) => {
      const [filled, ...kept] = counts.slice(index * width, (index + 1) * width);
      return [name, TYPES.filter((_, at) => kept[at] === filled)];
    }),
  );
}

async function countsIn(connection: DuckDBConnection, counts: readonly string[], sql: string): Promise<number[]> {
  const read = await connection.runAndReadAll(`SELECT ${counts.join(', ')} FROM ${sql}`);
  return (read.getRowsJson()[0] ?? []).map(Number);
}
