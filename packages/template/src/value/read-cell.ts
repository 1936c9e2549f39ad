import { type CellValue, DataDesignerError, Float, hideStored, MAX_VALUE_DEPTH, type Row } from '@data-designer/core';
import { decodeText, isCellList, mayBeJson } from './decode-text.ts';
import { limitFault } from '../fault.ts';
import type { Value } from './value.ts';

/** How templates read cells: whether they decode JSON text, and the columns whose plain numbers are floats. */
export interface CellReading {
  readonly decode: boolean;
  readonly floatColumns: ReadonlySet<string>;
}

interface Prepared {
  readonly raw: unknown;
  readonly value: Value;
}

/** Caches prepared cells by record, because several templates read the same cells. */
type CellCache = WeakMap<Row, Map<string, Prepared>>;
const decodedCells: CellCache = new WeakMap();
const plainCells: CellCache = new WeakMap();

/** Reads a cell for templates: decodes it on first use, and shares the parts that need no decoding. */
export function readCell(record: Row, column: string, reading: CellReading): Value {
  const raw: unknown = record[column];
  if (typeof raw === 'string') {
    if (!reading.decode) return raw;
    // Caching costs more than decoding a short text.
    return raw.length > 24 && mayBeJson(raw) ? cached(record, column, reading) : decodeText(raw);
  }
  if (typeof raw === 'number') return Number.isInteger(raw) && reading.floatColumns.has(column) ? new Float(raw) : raw;
  if (typeof raw === 'boolean' || typeof raw === 'bigint' || raw === null || raw instanceof Float) return raw;
  return typeof raw === 'object' ? cached(record, column, reading) : refuse(column, typeof raw);
}

function refuse(column: string, what: string): never {
  throw new DataDesignerError('template/record', { reason: `column '${column}' contains a ${what}` });
}

function cached(record: Row, column: string, reading: CellReading): Value {
  const raw = record[column] ?? null;
  const cache = reading.decode ? decodedCells : plainCells;
  let cells = cache.get(record);
  if (cells === undefined) cache.set(record, (cells = new Map()));
  const known = cells.get(column);
  if (known !== undefined && known.raw === raw) return known.value;
  const value = hideStored(prepare(raw, { column, decode: reading.decode, depth: 0 }), raw);
  cells.set(column, { raw, value });
  return value;
}

interface Preparing {
  readonly column: string;
  readonly decode: boolean;
  readonly depth: number;
}

/** Decodes the texts within a value, one level each; copies only the lists and maps that change. */
function prepare(value: CellValue, how: Preparing): Value {
  if (typeof value === 'string') return how.decode ? decodeText(value) : value;
  if (typeof value === 'function' || typeof value === 'symbol') return refuse(how.column, typeof value);
  if (typeof value !== 'object' || value === null || value instanceof Float) return value;
  if (how.depth >= MAX_VALUE_DEPTH) limitFault('nested levels of a value', MAX_VALUE_DEPTH);
  const inner = { ...how, depth: how.depth + 1 };
  if (isCellList(value)) return prepareList(value, inner);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return refuse(how.column, 'value that is not plain data');
  return prepareMap(value, inner);
}

function prepareList(values: readonly CellValue[], how: Preparing): Value {
  let copy: Value[] | undefined;
  for (let at = 0; at < values.length; at++) {
    const raw = values[at] ?? null;
    const value = prepare(raw, how);
    if (value !== raw) (copy ??= values.slice())[at] = value;
  }
  return copy ?? values;
}

function prepareMap(values: Readonly<Record<string, CellValue>>, how: Preparing): Value {
  let copy: Record<string, Value> | undefined;
  for (const key of Object.keys(values)) {
    const raw = values[key] ?? null;
    const value = prepare(raw, how);
    if (Object.is(value, raw)) continue;
    copy ??= { __proto__: null, ...values };
    copy[key] = value;
  }
  return copy ?? values;
}
