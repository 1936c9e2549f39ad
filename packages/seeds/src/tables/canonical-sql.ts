import type { DuckDBType } from '@duckdb/node-api';
import type { ArrowField, ArrowScalar } from '@data-designer/core';
import { isStoredFile } from './stored-file.ts';
import { quotedName } from '../duck-db/sql-text.ts';

/** DuckDB's type for each Arrow type. */
const CASTS = { bool: 'BOOLEAN', int64: 'BIGINT', float64: 'DOUBLE', utf8: 'VARCHAR', null: '"NULL"' } as const;

/** SQL that converts to a field's type: ISO dates and times, decimals to floats, bytes to text, maps to JSON text. */
export function canonicalSql(expression: string, type: DuckDBType, field: ArrowField): string {
  return valueSql(expression, type, { field, depth: 0 });
}

interface Wanted {
  readonly field: Pick<ArrowField, 'type' | 'json'>;
  /** The number of enclosing lambdas. */
  readonly depth: number;
}

function valueSql(expression: string, type: DuckDBType, { field, depth }: Wanted): string {
  const wanted = field.type;
  // Only a declared list of JSON texts has another type than text.
  if (field.json === true && typeof wanted === 'string') return jsonText(expression, type, depth);
  if (typeof wanted === 'string') return scalarSql(expression, type, wanted);
  if ('list' in wanted && 'valueType' in type) {
    const item = `x${depth}`;
    const inner = valueSql(item, type.valueType, { field: { ...field, type: wanted.list }, depth: depth + 1 });
    return `list_transform(${expression}, lambda ${item}: ${inner})`;
  }
  if ('struct' in wanted && 'entryTypes' in type) {
    const { entryTypes } = type;
    const members = wanted.struct.map((member, index) => {
      const value = `struct_extract_at(${expression}, ${index + 1})`;
      const entry = entryTypes[index] as DuckDBType;
      const isContent = isStoredFile(wanted.struct) && entry.toString() === 'BLOB';
      const sql = isContent ? `to_base64(${value})` : valueSql(value, entry, { field: member, depth });
      return `${quotedName(member.name)} := ${sql}`;
    });
    return `CASE WHEN ${expression} IS NULL THEN NULL ELSE struct_pack(${members.join(', ')}) END`;
  }
  throw new TypeError(`A column of ${type.toString()} is no ${JSON.stringify(wanted)}.`);
}

function scalarSql(expression: string, type: DuckDBType, wanted: ArrowScalar): string {
  return wanted === 'utf8' ? textSql(expression, type) : `CAST(${expression} AS ${CASTS[wanted]})`;
}

function asText(expression: string): string {
  return `CAST(${expression} AS VARCHAR)`;
}

function textSql(expression: string, type: DuckDBType): string {
  const text = asText(expression);
  switch (type.toString()) {
    case 'TIMESTAMP':
      return timeSql(expression);
    case 'TIMESTAMP_S':
    case 'TIMESTAMP_MS':
      return timeSql(`CAST(${expression} AS TIMESTAMP)`);
    case 'TIMESTAMP_NS': {
      const micros = `CAST(${expression} AS TIMESTAMP)`;
      const isWhole = `${expression} = CAST(${micros} AS TIMESTAMP_NS)`;
      return `CASE WHEN ${isWhole} THEN ${timeSql(micros)} ELSE replace(${text}, ' ', 'T') END`;
    }
    case 'TIMESTAMP WITH TIME ZONE':
      return `${timeSql(`(${expression} AT TIME ZONE 'UTC')`)} || '+00:00'`;
    case 'BLOB':
      // Columns with other bytes are Base64 already: see `withBytesInOneForm`.
      return `decode(${expression})`;
    default:
      return text;
  }
}

/** A time in Python's isoformat: with six digits of a second, or none. */
function timeSql(time: string): string {
  const isWhole = `epoch_us(${time}) % 1000000 = 0`;
  const whole = `replace(CAST(${time} AS VARCHAR), ' ', 'T')`;
  return `CASE WHEN NOT isfinite(${time}) OR ${isWhole} THEN ${whole} ELSE strftime(${time}, '%Y-%m-%dT%H:%M:%S.%f') END`;
}

function jsonText(expression: string, type: DuckDBType, depth: number): string {
  // Spooled rows hold these values as JSON text already.
  if (type.alias === 'JSON' || type.toString() === 'VARCHAR') return `CAST(${expression} AS VARCHAR)`;
  return `CAST(to_json(${jsonPart(expression, type, depth)}) AS VARCHAR)`;
}

/** A value whose parts JSON can hold, converted as outside of JSON. */
function jsonPart(expression: string, type: DuckDBType, depth: number): string {
  const part = `x${depth}`;
  if ('keyType' in type) {
    const key = type.keyType.toString().startsWith('TIMESTAMP') ? textSql : asText;
    const pair = `key := ${key(`${part}.key`, type.keyType)}, value := ${jsonPart(`${part}.value`, type.valueType, depth + 1)}`;
    return `map_from_entries(list_transform(map_entries(${expression}), lambda ${part}: struct_pack(${pair})))`;
  }
  if ('valueType' in type) {
    return `list_transform(${expression}, lambda ${part}: ${jsonPart(part, type.valueType, depth + 1)})`;
  }
  if ('entryTypes' in type) {
    const members = type.entryTypes.map((entry, index) => {
      const member = jsonPart(`struct_extract_at(${expression}, ${index + 1})`, entry, depth);
      return `${quotedName(type.entryNames[index] ?? '')} := ${member}`;
    });
    return `CASE WHEN ${expression} IS NULL THEN NULL ELSE struct_pack(${members.join(', ')}) END`;
  }
  const name = type.toString();
  return name.startsWith('TIMESTAMP') || name === 'BLOB' ? textSql(expression, type) : expression;
}
