import type { DuckDBConnection } from '@duckdb/node-api';
import type { DeclaredTable } from '@data-designer/config';
import { nearest } from '@data-designer/core';
import { quotedName } from '../duck-db/sql-text.ts';
import type { RowFault } from './row-place.ts';

type Declared = NonNullable<DeclaredTable['types']>;
type DeclaredType = Declared[string];

/** A table as SQL, and the parts that it joins. */
interface Opened {
  readonly sql: string;
  readonly parts: readonly string[];
}

/** Why a declaration does not fit a table. */
interface Misfit {
  readonly reason: string;
  readonly remedy: string;
}

const OFFSET = String.raw`(Z|\+00(:?00)?)?`;
const CLOCK = String.raw`\d?\d:\d\d:\d\d(\.\d{1,6}0*)?`;
const DAY = String.raw`\d{4}-\d\d?-\d\d?`;

/** DuckDB's name of each type, and the form of a text that the type holds without loss. */
const TYPES: Readonly<Record<DeclaredType, { readonly sql: string; readonly form?: string }>> = {
  text: { sql: 'VARCHAR' },
  integer: { sql: 'BIGINT', form: String.raw`[-+]?\d+(\.0*)?` },
  float: { sql: 'DOUBLE', form: String.raw`[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?` },
  boolean: { sql: 'BOOLEAN', form: '[A-Za-z]+|[01]' },
  date: { sql: 'DATE', form: String.raw`${DAY}([ T]00:00:00(\.0+)?)?` },
  time: { sql: 'TIME', form: CLOCK },
  timestamp: { sql: 'TIMESTAMP', form: String.raw`${DAY}([ T]${CLOCK} ?${OFFSET})?` },
};

/** Gives columns their declared types. A value that its type would change is a misfit. */
export async function withDeclaredTypes<Table extends Opened>(
  connection: DuckDBConnection,
  opened: Table,
  types: Declared,
): Promise<Table | Misfit | RowFault> {
  const head = await connection.runAndReadAll(`SELECT * FROM ${opened.sql} LIMIT 0`);
  const misfit = unknownColumn(types, head.columnNames()) ?? (await lostValue(connection, opened.sql, types));
  if (misfit) return misfit;
  const casts = Object.entries(types).map(
    ([name, type]) => `CAST(${quotedName(name)} AS ${TYPES[type].sql}) AS ${quotedName(name)}`,
  );
  if (casts.length === 0) return opened;
  const cast = (from: string): string => `SELECT * REPLACE (${casts.join(', ')}) FROM ${from}`;
  return { ...opened, sql: `(${cast(opened.sql)})`, parts: opened.parts.map((part) => cast(`(${part})`)) };
}

function unknownColumn(types: Declared, names: readonly string[]): Misfit | undefined {
  const unknown = Object.keys(types).find((name) => !names.includes(name));
  if (unknown === undefined) return undefined;
  const near = nearest(unknown, names);
  const remedy = near === undefined ? `Its columns are ${names.join(', ')}.` : `Did you mean '${near}'?`;
  return { reason: `'types' names the column '${unknown}', which it does not have`, remedy };
}

/** The first value that a declared type would change. */
async function lostValue(connection: DuckDBConnection, sql: string, types: Declared): Promise<RowFault | undefined> {
  for (const [name, type] of Object.entries(types)) {
    const isLost = lossTest(quotedName(name), type);
    if (isLost === undefined) continue;
    const numbered = `SELECT ${quotedName(name)}, row_number() OVER () AS row_index FROM ${sql}`;
    const read = await connection.runAndReadAll(
      `SELECT row_index, CAST(${quotedName(name)} AS VARCHAR) FROM (${numbered}) WHERE ${isLost} LIMIT 1`,
    );
    const [row] = read.getRowsJson();
    if (!row) continue;
    const [index, value] = row;
    return {
      row: Number(index),
      reason: (place) => `column '${name}' has ${JSON.stringify(value)} in ${place}, which is no ${type}`,
      remedy: "Correct the value, or the type in 'types' of the seed's source.",
    };
  }
  return undefined;
}

/** SQL that is true for a value that a type would change; undefined if the type holds every value. */
function lossTest(name: string, type: DeclaredType): string | undefined {
  const { sql, form } = TYPES[type];
  if (form === undefined) return undefined;
  const text = `trim(CAST(${name} AS VARCHAR))`;
  const isKept = `regexp_full_match(${text}, '${form}') AND TRY_CAST(${text} AS ${sql}) IS NOT NULL`;
  const isRounded = `coalesce(CAST(TRY_CAST(${text} AS DOUBLE) AS HUGEINT) <> TRY_CAST(${text} AS HUGEINT), true)`;
  const isInfinite = `NOT isfinite(TRY_CAST(${text} AS DOUBLE))`;
  const integer = String.raw`[-+]?\d{16,}`;
  const rounds =
    type === 'float' ? ` OR ${isInfinite} OR (regexp_full_match(${text}, '${integer}') AND ${isRounded})` : '';
  return `${name} IS NOT NULL AND (NOT (${isKept})${rounds})`;
}
