import type { DuckDBType } from '@duckdb/node-api';
import { type ArrowField, type ArrowType, field, MAX_DECIMAL_DIGITS } from '@data-designer/core';

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
  DATE: { logical: 'date' },
  TIME: { logical: 'time', unit: 'us' },
  TIME_NS: { logical: 'time', unit: 'ns' },
  TIMESTAMP_S: { logical: 'timestamp', unit: 'us', zoned: false },
  TIMESTAMP_MS: { logical: 'timestamp', unit: 'us', zoned: false },
  TIMESTAMP: { logical: 'timestamp', unit: 'us', zoned: false },
  TIMESTAMP_NS: { logical: 'timestamp', unit: 'ns', zoned: false },
  'TIMESTAMP WITH TIME ZONE': { logical: 'timestamp', unit: 'us', zoned: true },
};

const WIDE = new Set(['UBIGINT', 'HUGEINT', 'UHUGEINT']);

/** Whether a column's integers may exceed 64 bits, so that its values decide its type. */
export function isWideInteger(type: DuckDBType): boolean {
  return WIDE.has(type.toString());
}

/** Whether a column's decimals may have more digits than a float holds, so that its values decide its type. */
export function isLongDecimal(type: DuckDBType): boolean {
  return 'width' in type && 'scale' in type && type.width > MAX_DECIMAL_DIGITS;
}

/** The field of a DuckDB column: bytes (Base64 if they are no text) and wide integers as text, maps and values of several types as JSON text. */
export function arrowOfDuckDb(name: string, type: DuckDBType): ArrowField {
  return field(name, typeOf(type), { json: isJson(type) });
}

/** Maps, values of several types, JSON columns and lists of them are stored as JSON text. */
function isJson(type: DuckDBType): boolean {
  if (type.alias === 'JSON' || 'keyType' in type || 'memberTypes' in type) return true;
  return 'valueType' in type && isJson(type.valueType);
}

function typeOf(type: DuckDBType): ArrowType {
  if (isJson(type)) return 'utf8';
  if ('entryTypes' in type)
    return { struct: type.entryTypes.map((entry, index) => arrowOfDuckDb(type.entryNames[index] ?? '', entry)) };
  if ('valueType' in type) return { list: typeOf(type.valueType) };
  return 'width' in type && 'scale' in type
    ? decimalType(type.width, type.scale)
    : (SCALARS[type.toString()] ?? 'utf8');
}

/** A decimal type, or floats for more digits than a float holds without loss. */
export function decimalType(precision: number, scale: number): ArrowType {
  return precision > MAX_DECIMAL_DIGITS ? 'float64' : { logical: 'decimal', precision, scale };
}
