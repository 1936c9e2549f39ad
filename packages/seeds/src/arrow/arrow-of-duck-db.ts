import type { DuckDBType } from '@duckdb/node-api';
import { type ArrowField, type ArrowType, field } from '@data-designer/core';

const SCALARS: Readonly<Record<string, ArrowType>> = {
  BOOLEAN: 'bool',
  TINYINT: 'int64',
  SMALLINT: 'int64',
  INTEGER: 'int64',
  BIGINT: 'int64',
  UTINYINT: 'int64',
  USMALLINT: 'int64',
  UINTEGER: 'int64',
  FLOAT: 'float64',
  DOUBLE: 'float64',
  DECIMAL: 'float64',
};

const WIDE = new Set(['UBIGINT', 'HUGEINT', 'UHUGEINT']);

/** Whether a column's integers may exceed 64 bits, so that its values decide its type. */
export function isWideInteger(type: DuckDBType): boolean {
  return WIDE.has(type.toString());
}

/** The field of a DuckDB column: times, bytes and wide integers as text, maps and values of several types as JSON text. */
export function arrowOfDuckDb(name: string, type: DuckDBType): ArrowField {
  return field(name, typeOf(type), { json: isJson(type) });
}

/** Maps, values of several types, and JSON columns are stored as JSON text. */
function isJson(type: DuckDBType): boolean {
  return type.alias === 'JSON' || 'keyType' in type || 'memberTypes' in type;
}

function typeOf(type: DuckDBType): ArrowType {
  if (isJson(type)) return 'utf8';
  if ('entryTypes' in type)
    return { struct: type.entryTypes.map((entry, index) => arrowOfDuckDb(type.entryNames[index] ?? '', entry)) };
  if ('valueType' in type) return { list: typeOf(type.valueType) };
  return SCALARS[type.toString().replace(/\(.*/s, '')] ?? 'utf8';
}
