import type { DecodedArray, SchemaTree } from 'hyparquet';
import {
  type ArrowField,
  type ArrowType,
  type CellValue,
  type ColumnData,
  Float,
  parseJson,
} from '@data-designer/core';

/** Turns the values of a column, as the Parquet reader gives them, into those of our cells. */
export type DecodeColumn = (values: DecodedArray) => ColumnData;

type Decode = (value: unknown) => CellValue;

/**
 * The decoder for a column of a table's file, by its field and its place in the file's schema, whose members go by
 * position. Integers become `number` where safe, whole floats within lists and structs `Float`, JSON text is parsed.
 */
export function columnDecoder(field: ArrowField, tree: SchemaTree): DecodeColumn {
  if (field.json !== true && typeof field.type === 'string') return FLAT[field.type];
  const decode = fieldDecoder(field, tree);
  return (values) => Array.from(values as ArrayLike<unknown>, decode);
}

/** The columns of one value a row; where none is null the reader gives bigints and numbers only. */
const FLAT: Readonly<Record<Extract<ArrowType, string>, DecodeColumn>> = {
  bool: (values) => values as ColumnData,
  utf8: (values) => values as ColumnData,
  int64: decodeIntegers,
  float64: decodeFloats,
};

/** Integers of 32 bits in a typed array, larger safe ones as floats, and cells where there are others or nulls. */
function decodeIntegers(values: DecodedArray): ColumnData {
  const small = new Int32Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row] as bigint | null;
    const number = value === null ? NaN : Number(value);
    if (number !== (number | 0)) return decodeLarge(values);
    small[row] = number;
  }
  return small;
}

function decodeLarge(values: DecodedArray): ColumnData {
  const large = new Float64Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row] as bigint | null;
    const number = value === null ? NaN : Number(value);
    if (!Number.isSafeInteger(number)) return Array.from(values as ArrayLike<unknown>, decodeInteger);
    large[row] = number;
  }
  return large;
}

function decodeInteger(value: unknown): CellValue {
  if (typeof value !== 'bigint') return (value ?? null) as CellValue;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function decodeFloats(values: DecodedArray): ColumnData {
  const floats = new Float64Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row] as number | null;
    if (value === null) return values as ColumnData;
    floats[row] = value;
  }
  return floats;
}

function decodeScalar(value: unknown): CellValue {
  return (value ?? null) as CellValue;
}

const SCALARS: Readonly<Record<Extract<ArrowType, string>, Decode>> = {
  bool: decodeScalar,
  utf8: decodeScalar,
  int64: decodeInteger,
  // Nothing else says there that it is a float.
  float64: (value) => (Number.isInteger(value) ? new Float(value as number) : decodeScalar(value)),
};

function fieldDecoder({ type, json }: ArrowField, tree: SchemaTree): Decode {
  return json === true ? decodeJson : typeDecoder(type, tree);
}

function typeDecoder(type: ArrowType, tree: SchemaTree): Decode {
  if (typeof type === 'string') return SCALARS[type];
  const inner = tree.children;
  if ('list' in type) {
    const decode = typeDecoder(type.list, inner[0]?.children[0] as SchemaTree);
    return (value) => (Array.isArray(value) ? value.map(decode) : null);
  }
  const members = type.struct.map((member, index) => {
    const child = inner[index] as SchemaTree;
    return { name: member.name, stored: child.element.name, decode: fieldDecoder(member, child) };
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

/** Text that DuckDB wrote as JSON; what is none, such as a NaN in a union, stays text. */
function decodeJson(value: unknown): CellValue {
  if (typeof value !== 'string') return null;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}
