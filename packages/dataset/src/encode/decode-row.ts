import {
  type ArrowField,
  type ArrowType,
  type CellValue,
  type Fields,
  isFields,
  type LogicalType,
  messageFields,
  parseJson,
  unboxed,
} from '@data-designer/core';
import { decimalNumber } from './decimals.ts';
import { momentText } from './moments.ts';
import { isTraceName, readTrace } from './trace-layout.ts';

/** A row of plain JSON values, with `bigint` for integers beyond 2^53. */
export type PlainRow = Record<string, CellValue>;

/** Converts a row of the Parquet or Arrow reader to a plain one. */
export type DecodeRow = (row: Fields) => PlainRow;

type Decode = (value: unknown) => CellValue;

/** Decodes rows of a table: parses JSON text of `fields`, and turns safe integers to `number` and absent values to null. */
export function rowDecoder(fields: readonly ArrowField[]): DecodeRow {
  const decoders = new Map(fields.map((field) => [field.name, decodeField(field)]));
  return (row) => {
    const plain: PlainRow = {};
    for (const name of Object.keys(row)) plain[name] = (decoders.get(name) ?? decoderOf(name))(row[name]);
    return plain;
  };
}

/** The decoder of a column without a declared type, as in the files of other tools. */
function decoderOf(name: string): Decode {
  return isTraceName(name) ? decodeTrace : decodeAny;
}

function decodeTrace(value: unknown): CellValue {
  return readTrace(decodeAny(value));
}

function decodeField({ name, type, json }: ArrowField): Decode {
  if (json === true) return decodeJson(type);
  if (isTraceName(name) && !messageFields(type)) return decodeTrace;
  return holdsJson({ type }) || holdsLogical(type) ? decodeNested(type) : decodeAny;
}

/** Values that are no text are those that another layout stores as they are. */
function decodeJson(type: ArrowType): Decode {
  if (typeof type === 'object' && 'list' in type) {
    const decode = decodeJson(type.list);
    return (value) => (Array.isArray(value) ? value.map(decode) : decodeAny(value));
  }
  return (value) => (typeof value === 'string' ? unboxed(parseJson(value)) : decodeAny(value));
}

/** Whether a type is that of dates, times or decimals, at any depth. */
export function holdsLogical(type: ArrowType): boolean {
  if (typeof type === 'string') return false;
  if ('logical' in type) return true;
  return 'list' in type ? holdsLogical(type.list) : type.struct.some((member) => holdsLogical(member.type));
}

/** The reader gives the stored numbers, but decimals of Parquet files as numbers with rounding errors. */
function decodeLogical(type: LogicalType): Decode {
  if (type.logical !== 'decimal') {
    return (value) => (typeof value === 'bigint' || typeof value === 'number' ? momentText(BigInt(value), type) : null);
  }
  const { scale } = type;
  return (value) => {
    if (typeof value === 'number') return Number(value.toFixed(scale));
    return typeof value === 'bigint' ? decimalNumber(value, scale) : null;
  };
}

/** Whether a field stores JSON text, at any depth. */
export function holdsJson({ type, json }: Pick<ArrowField, 'type' | 'json'>): boolean {
  if (json === true) return true;
  if (typeof type === 'string' || 'logical' in type) return false;
  return 'list' in type ? holdsJson({ type: type.list }) : type.struct.some(holdsJson);
}

function decodeNested(type: ArrowType): Decode {
  if (typeof type === 'string') return decodeAny;
  if ('logical' in type) return decodeLogical(type);
  if ('list' in type) {
    const decode = decodeNested(type.list);
    return (value) => (Array.isArray(value) ? value.map(decode) : decodeAny(value));
  }
  const decode = rowDecoder(type.struct);
  return (value) => (isFields(value) ? decode(value) : null);
}

function decodeAny(value: unknown): CellValue {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(decodeAny);
  if (value instanceof Date) return value.toISOString();
  if (!isFields(value)) return null;
  if (Object.hasOwn(value, '__proto__'))
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, decodeAny(part)]));
  const plain: PlainRow = {};
  for (const name of Object.keys(value)) plain[name] = decodeAny(value[name]);
  return plain;
}
