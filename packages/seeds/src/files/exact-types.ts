import type { DuckDBConnection, DuckDBResultReader, DuckDBType } from '@duckdb/node-api';
import type { ArrowType } from '@data-designer/core';
import { isLongDecimal, isWideInteger } from '../arrow/arrow-of-duck-db.ts';
import { type ScalarPart, scalarParts, withChangedParts } from '../duck-db/nested-sql.ts';
import { quotedName } from '../duck-db/sql-text.ts';
import type { RowFault } from './row-place.ts';

/** SQL of a table, and of the parts that it joins. */
interface Tables {
  readonly sql: string;
  readonly parts: readonly string[];
}

/** A table whose columns hold every value exactly. */
interface ExactTable extends Tables {
  readonly fault?: undefined;
  /**
   * The types of columns whose values decide them, by name: `int64` for wide integers that all fit 64 bits, `utf8` for decimals
   * of which a float would round one.
   */
  readonly types: ReadonlyMap<string, ArrowType>;
}

/**
 * A table with the types that its values need. Within lists, structs and maps the values themselves become integers or text. The
 * fault is a value that no cell holds: NaN and infinities within a map, which is stored as JSON.
 */
export async function exactTable(
  connection: DuckDBConnection,
  { sql, parts }: Tables,
  head: DuckDBResultReader,
): Promise<ExactTable | { readonly fault: RowFault }> {
  const columns = head.columnNames().map((name, index) => ({ name, type: head.columnType(index) }));
  const tests = columns.flatMap(testsOf);
  if (tests.length === 0) return { sql, parts, types: new Map() };
  const read = `SELECT ${tests.map(({ isSo }) => isSo).join(', ')} FROM ${sql}`;
  const [row = []] = (await connection.runAndReadAll(read)).getRowsJson();
  const passed = tests.filter((_, index) => row[index] === true);
  const odd = passed.find(({ becomes }) => becomes === 'fault');
  if (odd) return { fault: await sayNoNumber(connection, odd, sql) };
  const types = passed.flatMap(({ name, path, becomes }) =>
    path === '' && becomes !== 'fault' ? [[name, becomes] as const] : [],
  );
  const changed = columns.flatMap(({ name, type }) => {
    const changes = passed.filter((test) => test.name === name && test.path !== '');
    return changes.length === 0 ? [] : `${changedSql(name, type, changes)} AS ${quotedName(name)}`;
  });
  if (changed.length === 0) return { sql, parts, types: new Map(types) };
  const exact = (table: string): string => `SELECT * REPLACE (${changed.join(', ')}) FROM ${table}`;
  return { sql: `(${exact(sql)})`, parts: parts.map((part) => exact(`(${part})`)), types: new Map(types) };
}

interface Test {
  readonly name: string;
  readonly path: string;
  readonly becomes: 'int64' | 'utf8' | 'fault';
  /** SQL that is true if the values become so. */
  readonly isSo: string;
  /** SQL that is true for a row with a value that decides it. */
  readonly inRow: string;
}

const CASTS = { int64: 'BIGINT', utf8: 'VARCHAR' } as const;
const FLOATS: ReadonlySet<string> = new Set(['FLOAT', 'DOUBLE']);

function testsOf({ name, type }: { readonly name: string; readonly type: DuckDBType }): Test[] {
  return scalarParts(quotedName(name), type).flatMap((part): Test[] => {
    const test = testOf(part);
    if (!test) return [];
    const inRow = part.some(test.passes);
    const isAny = `coalesce(bool_or(${inRow}), false)`;
    return [{ name, path: part.path, becomes: test.becomes, isSo: test.isNone ? `NOT ${isAny}` : isAny, inRow }];
  });
}

/** What the values of a part become if one of them, or none of them, passes. */
function testOf({
  type,
  isInMap,
}: ScalarPart):
  | { readonly becomes: Test['becomes']; readonly passes: (value: string) => string; readonly isNone?: boolean }
  | undefined {
  // JSON holds integers of any length.
  if (isWideInteger(type) && !isInMap) return { becomes: 'int64', passes: exceedsSql, isNone: true };
  if (isLongDecimal(type)) return { becomes: 'utf8', passes: (value) => roundsSql(value, type.toString()) };
  if (type.alias === 'JSON') return { becomes: 'fault', passes: noJsonSql };
  return isInMap && FLOATS.has(type.toString()) ? { becomes: 'fault', passes: noNumberSql } : undefined;
}

function exceedsSql(integer: string): string {
  return `(${integer} IS NOT NULL AND TRY_CAST(${integer} AS BIGINT) IS NULL)`;
}

/** The shortest text of the float tells what readers of the float see. */
function roundsSql(value: string, decimal: string): string {
  const seen = `TRY_CAST(CAST(CAST(${value} AS DOUBLE) AS VARCHAR) AS ${decimal})`;
  return `(${value} IS NOT NULL AND ${seen} IS DISTINCT FROM ${value})`;
}

function noNumberSql(float: string): string {
  return `(${float} IS NOT NULL AND NOT isfinite(${float}))`;
}

const NO_NUMBER = String.raw`'\b(?:NaN|Inf(?:inity)?)\b'`;

/** JSON as DuckDB reads it may hold NaN and Infinity, outside of its texts. */
function noJsonSql(json: string): string {
  const text = `CAST(${json} AS VARCHAR)`;
  const unquoted = String.raw`regexp_replace(${text}, '"(\\.|[^"\\])*"', '""', 'g')`;
  return `coalesce(regexp_matches(${text}, ${NO_NUMBER}) AND regexp_matches(${unquoted}, ${NO_NUMBER}), false)`;
}

function changedSql(name: string, type: DuckDBType, changes: readonly Test[]): string {
  const casts = changes.flatMap(({ path, becomes }) =>
    becomes === 'fault' ? [] : [[path, (value: string) => `CAST(${value} AS ${CASTS[becomes]})`] as const],
  );
  return withChangedParts(quotedName(name), type, new Map(casts));
}

async function sayNoNumber(connection: DuckDBConnection, { name, inRow }: Test, sql: string): Promise<RowFault> {
  const numbered = `SELECT row_number() OVER () AS row_index, * FROM ${sql}`;
  const read = await connection.runAndReadAll(`SELECT row_index FROM (${numbered}) WHERE ${inRow} LIMIT 1`);
  return {
    row: Number(read.getRowsJson()[0]?.[0]),
    reason: (place) =>
      `column '${name}' has NaN or an infinity within JSON or a map in ${place}, which JSON cannot hold`,
    remedy: 'Replace it by null or a text.',
  };
}
