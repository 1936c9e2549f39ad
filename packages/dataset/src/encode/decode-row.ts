import { type ArrowField, type ArrowType, type CellValue, parseJson, unboxed } from '@data-designer/core';

/** A row as it leaves: plain JSON-like values, and `bigint` for integers beyond 2^53. */
export type PlainRow = Record<string, CellValue>;

/** Turns a row as the Parquet reader gives it into a plain one. */
export type DecodeRow = (row: Record<string, unknown>) => PlainRow;

type Decode = (value: unknown) => CellValue;

/**
 * A decoder for rows of a table: JSON text is parsed, integers are `number` where safe, absent values null. Columns
 * that no field describes are taken as they come.
 */
export function rowDecoder(fields: readonly ArrowField[]): DecodeRow {
  const decoders = new Map(fields.map((field) => [field.name, decodeField(field)]));
  return (row) => {
    const plain: PlainRow = {};
    for (const name of Object.keys(row)) plain[name] = (decoders.get(name) ?? decodeAny)(row[name]);
    return plain;
  };
}

function decodeField({ type, json }: ArrowField): Decode {
  if (json === true) return (value) => (typeof value === 'string' ? unboxed(parseJson(value)) : decodeAny(value));
  return holdsJson(type) ? decodeNested(type) : decodeAny;
}

function holdsJson(type: ArrowType): boolean {
  if (typeof type === 'string') return false;
  if ('list' in type) return holdsJson(type.list);
  return type.struct.some((member) => member.json === true || holdsJson(member.type));
}

function decodeNested(type: ArrowType): Decode {
  if (typeof type === 'string') return decodeAny;
  if ('list' in type) {
    const decode = decodeNested(type.list);
    return (value) => (Array.isArray(value) ? value.map(decode) : decodeAny(value));
  }
  const decode = rowDecoder(type.struct);
  return (value) => (value === null || value === undefined ? null : decode(value as Record<string, unknown>));
}

function decodeAny(value: unknown): CellValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object') return value as CellValue;
  if (Array.isArray(value)) return value.map(decodeAny);
  if (value instanceof Date) return value.toISOString();
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, decodeAny(part)]));
}
