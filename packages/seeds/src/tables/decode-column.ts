import type { SchemaTree } from 'hyparquet';
import {
  type ArrowField,
  type ArrowScalar,
  type ArrowType,
  cellField,
  cellType,
  type CellValue,
  type ColumnData,
  Float,
  parseJson,
} from '@data-designer/core';

/** Converts the values of a column from the Parquet reader's to those of cells. */
export type DecodeColumn = (values: ArrayLike<unknown>) => ColumnData;

type Decode = (value: unknown) => CellValue;

/** The decoder of a column by its field and schema tree: safe integers to `number`, nested integral floats to `Float`. */
export function columnDecoder(declared: ArrowField, tree: SchemaTree): DecodeColumn {
  const field = cellField(declared);
  if (field.json !== true && typeof field.type === 'string') return FLAT[field.type];
  const decode = fieldDecoder(field, tree);
  return (values) => Array.from(values, decode);
}

/** Decoders of columns without nesting; the reader gives bigints, numbers and nulls. */
const FLAT: Readonly<Record<ArrowScalar, DecodeColumn>> = {
  bool: (values) => values as ColumnData,
  utf8: (values) => values as ColumnData,
  int64: decodeIntegers,
  float64: decodeFloats,
  null: (values) => Array.from(values, () => null),
};

/** 32-bit integers as Int32Array, larger safe ones as Float64Array, all others and nulls as cells. */
function decodeIntegers(values: ArrayLike<unknown>): ColumnData {
  const small = new Int32Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    const number = value === null ? NaN : Number(value);
    if (number !== (number | 0)) return decodeLarge(values);
    small[row] = number;
  }
  return small;
}

function decodeLarge(values: ArrayLike<unknown>): ColumnData {
  const large = new Float64Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    const number = value === null ? NaN : Number(value);
    if (!Number.isSafeInteger(number)) return Array.from(values, decodeInteger);
    large[row] = number;
  }
  return large;
}

function decodeInteger(value: unknown): CellValue {
  if (typeof value !== 'bigint') return (value ?? null) as CellValue;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function decodeFloats(values: ArrayLike<unknown>): ColumnData {
  const floats = new Float64Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (value === null) return values as ColumnData;
    floats[row] = Number(value);
  }
  return floats;
}

function decodeScalar(value: unknown): CellValue {
  return (value ?? null) as CellValue;
}

const SCALARS: Readonly<Record<ArrowScalar, Decode>> = {
  bool: decodeScalar,
  utf8: decodeScalar,
  int64: decodeInteger,
  null: () => null,
  // Within lists and structs only `Float` distinguishes a float from an integer.
  float64: (value) => (typeof value === 'number' && Number.isInteger(value) ? new Float(value) : decodeScalar(value)),
};

function fieldDecoder({ type, json }: ArrowField, tree: SchemaTree | undefined): Decode {
  return json === true ? jsonDecoder(type) : typeDecoder(type, tree);
}

function typeDecoder(type: ArrowType, tree: SchemaTree | undefined): Decode {
  if (typeof type === 'string') return SCALARS[type];
  if ('logical' in type) return typeDecoder(cellType(type), tree);
  const inner = tree?.children ?? [];
  if ('list' in type) {
    const decode = typeDecoder(type.list, inner[0]?.children[0]);
    return (value) => (Array.isArray(value) ? value.map(decode) : null);
  }
  const members = type.struct.map((member, index) => {
    const child = inner[index];
    return { name: member.name, stored: child?.element.name ?? member.name, decode: fieldDecoder(member, child) };
  });
  return (value) => (typeof value === 'object' && value !== null ? decodeStruct(value, members) : null);
}

interface Member {
  readonly name: string;
  readonly stored: string;
  readonly decode: Decode;
}

function decodeStruct(value: object, members: readonly Member[]): CellValue {
  const record: Record<string, CellValue> = {};
  for (const { name, stored, decode } of members) {
    const part = decode((value as Readonly<Record<string, unknown>>)[stored]);
    if (name === '__proto__') Object.defineProperty(record, name, { value: part, enumerable: true });
    else record[name] = part;
  }
  return record;
}

function jsonDecoder(type: ArrowType): Decode {
  if (typeof type !== 'object' || !('list' in type)) return decodeJson;
  const decode = jsonDecoder(type.list);
  return (value) => (Array.isArray(value) ? value.map(decode) : null);
}

/** Parses JSON text of DuckDB; invalid JSON, such as a NaN in a union, stays text. */
function decodeJson(value: unknown): CellValue {
  if (typeof value !== 'string') return null;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}
