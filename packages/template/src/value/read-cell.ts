import { type CellValue, DataDesignerError, Float, hideStored, type Row, MAX_VALUE_DEPTH } from '@data-designer/core';
import { decodeText, mayBeJson } from './decode-text.ts';
import type { Value } from './value.ts';

/** How cells are read: whether JSON in text is decoded, and which columns hold floats as plain numbers. */
export interface CellReading {
  readonly decode: boolean;
  readonly floatColumns: ReadonlySet<string>;
}

interface Prepared {
  readonly raw: unknown;
  readonly value: Value;
}

/** Cells that took work to prepare, by record: several templates read the same ones. */
type Memory = WeakMap<Row, Map<string, Prepared>>;
const decodedCells: Memory = new WeakMap();
const plainCells: Memory = new WeakMap();

/** The value of a cell as templates see it, prepared when it is first read and shared where nothing is decoded. */
export function readCell(record: Row, column: string, reading: CellReading): Value {
  const raw: unknown = record[column];
  if (typeof raw === 'string') {
    return reading.decode && mayHoldDocument(raw) ? remembered(record, column, reading) : decodedText(raw, reading);
  }
  if (typeof raw === 'number') return Number.isInteger(raw) && reading.floatColumns.has(column) ? new Float(raw) : raw;
  if (typeof raw === 'boolean' || typeof raw === 'bigint' || raw === null || raw instanceof Float) return raw;
  return typeof raw === 'object' ? remembered(record, column, reading) : refuse(column, typeof raw);
}

/** Text whose decoding is worth remembering. */
function mayHoldDocument(text: string): boolean {
  return text.length > 24 && mayBeJson(text);
}

function decodedText(text: string, reading: CellReading): Value {
  return reading.decode ? decodeText(text) : text;
}

function refuse(column: string, what: string): never {
  throw new DataDesignerError('template/record', { reason: `column '${column}' holds a ${what}` });
}

function remembered(record: Row, column: string, reading: CellReading): Value {
  const memory = reading.decode ? decodedCells : plainCells;
  const raw = record[column] as CellValue;
  let cells = memory.get(record);
  if (cells === undefined) memory.set(record, (cells = new Map()));
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

/** Decodes the text within a value, one level each, and copies only what changes by it. */
function prepare(value: CellValue, how: Preparing): Value {
  if (typeof value === 'string') return how.decode ? decodeText(value) : value;
  if (typeof value === 'function' || typeof value === 'symbol') return refuse(how.column, typeof value);
  if (typeof value !== 'object' || value === null || value instanceof Float) return value;
  if (how.depth >= MAX_VALUE_DEPTH) return refuse(how.column, 'value nested too deeply');
  const inner = { ...how, depth: how.depth + 1 };
  if (Array.isArray(value)) return prepareList(value as readonly CellValue[], inner);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return refuse(how.column, 'value that is no plain data');
  return prepareMap(value as Readonly<Record<string, CellValue>>, inner);
}

function prepareList(values: readonly CellValue[], how: Preparing): Value {
  let copy: Value[] | undefined;
  for (let at = 0; at < values.length; at++) {
    const raw = values[at] as CellValue;
    const value = prepare(raw, how);
    if (value !== raw) (copy ??= values.slice())[at] = value;
  }
  return copy ?? values;
}

function prepareMap(values: Readonly<Record<string, CellValue>>, how: Preparing): Value {
  let copy: Record<string, Value> | undefined;
  for (const key of Object.keys(values)) {
    const raw = values[key] as CellValue;
    const value = prepare(raw, how);
    if (Object.is(value, raw)) continue;
    copy ??= Object.assign(Object.create(null) as Record<string, Value>, values);
    copy[key] = value;
  }
  return copy ?? values;
}
