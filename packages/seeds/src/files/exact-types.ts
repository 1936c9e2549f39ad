import type { DuckDBConnection, DuckDBResultReader } from '@duckdb/node-api';
import type { ArrowType } from '@data-designer/core';
import { isLongDecimal, isWideInteger } from '../arrow/arrow-of-duck-db.ts';
import { quotedName } from '../duck-db/sql-text.ts';

/**
 * The types of columns whose values decide them, by name: `int64` for wide integers that all fit 64 bits, `utf8` for decimals
 * of which a float would round one.
 */
export async function exactTypes(
  connection: DuckDBConnection,
  head: DuckDBResultReader,
  sql: string,
): Promise<ReadonlyMap<string, ArrowType>> {
  const tests = head.columnNames().flatMap((name, index): Test[] => {
    const type = head.columnType(index);
    if (isWideInteger(type)) return [{ name, type: 'int64', isSo: fitsSql(quotedName(name)) }];
    return isLongDecimal(type) ? [{ name, type: 'utf8', isSo: roundsSql(quotedName(name), type.toString()) }] : [];
  });
  if (tests.length === 0) return new Map();
  const reader = await connection.runAndReadAll(`SELECT ${tests.map(({ isSo }) => isSo).join(', ')} FROM ${sql}`);
  const row = reader.getRowsJson()[0] ?? [];
  return new Map(tests.filter((_, index) => row[index] === true).map(({ name, type }) => [name, type]));
}

interface Test {
  readonly name: string;
  readonly type: ArrowType;
  /** SQL that is true if the column has the type. */
  readonly isSo: string;
}

function fitsSql(value: string): string {
  return `coalesce(bool_and(TRY_CAST(${value} AS BIGINT) IS NOT NULL OR ${value} IS NULL), true)`;
}

/** The shortest text of the float tells what readers of the float see. */
function roundsSql(value: string, decimal: string): string {
  const seen = `TRY_CAST(CAST(CAST(${value} AS DOUBLE) AS VARCHAR) AS ${decimal})`;
  return `coalesce(bool_or(${value} IS NOT NULL AND ${seen} IS DISTINCT FROM ${value}), false)`;
}
