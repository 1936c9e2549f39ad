import { DataType, DateUnit, TimeUnit, Type } from 'apache-arrow';
import { type ArrowField, type ArrowType, type CellValue, field, JSON_MARK, parseJson } from '@data-designer/core';
import { momentText } from '@data-designer/dataset';
import { base64Text } from './bytes-as-text.ts';
import { decimalType } from './arrow-of-duck-db.ts';
import { isStoredFile } from '../tables/stored-file.ts';

/** Converts a value of an Arrow table to the one that its field stores. */
type ReadArrow = (value: unknown) => unknown;

/** The field that stores a column of an Arrow table, and how its values are read. */
export interface ArrowInput {
  readonly field: ArrowField;
  readonly read: ReadArrow;
}

/** A field of an Arrow table; the tables of datasets mark JSON text in the metadata. */
interface ArrowColumn {
  readonly name: string;
  readonly type: DataType;
  readonly metadata?: ReadonlyMap<string, string> | null;
}

interface Reading {
  readonly type: ArrowType;
  readonly json?: boolean;
  readonly read: ReadArrow;
}

/** How types are read whose values decide their form. */
export interface ColumnForms {
  /** The type of unsigned 64-bit integers: `utf8` if one of them exceeds int64. */
  readonly wide: 'int64' | 'utf8';
  /** The text of bytes: `textOfBytes` if all of them are text, else `base64Text`. */
  readonly bytesText: (bytes: Uint8Array) => string;
  /** What values need that their types may or may not hold. */
  readonly needs?: ReadonlySet<Need>;
  /** Called with what a value needs. */
  readonly note?: (need: Need) => void;
}

/** The time of day of a date; nanoseconds; more digits of a decimal than a float holds. */
type Need = 'time' | 'nanoseconds' | 'digits';

const NARROW: ColumnForms = { wide: 'int64', bytesText: base64Text };
const DAY_MS = 86_400_000;
/** How many units of each kind a second has. */
const PER_SECOND: Readonly<Record<TimeUnit, bigint>> = {
  [TimeUnit.SECOND]: 1n,
  [TimeUnit.MILLISECOND]: 1000n,
  [TimeUnit.MICROSECOND]: 1_000_000n,
  [TimeUnit.NANOSECOND]: 1_000_000_000n,
};

/** How a column of an Arrow table is read; undefined for types that rows cannot hold. */
export function arrowInput({ name, type, metadata }: ArrowColumn, forms: ColumnForms = NARROW): ArrowInput | undefined {
  const reading = metadata?.has(JSON_MARK) ? JSON_TEXT : readingOf(type, forms);
  if (!reading) return undefined;
  return { field: field(name, reading.type, { json: reading.json === true }), read: orNull(reading.read) };
}

const orNull =
  (read: ReadArrow): ReadArrow =>
  (value) =>
    value === null || value === undefined ? null : read(value);

const same: ReadArrow = (value) => value;

const TEXT: Reading = { type: 'utf8', read: same };
const JSON_TEXT: Reading = { type: 'utf8', json: true, read: jsonCell };

/** A JSON text, or a list of them. */
function jsonCell(value: unknown): CellValue {
  if (typeof value === 'string' || !isIterable(value)) return parseJson(String(value));
  return Array.from(value, (item) => (item === null || item === undefined ? null : jsonCell(item)));
}

/** Types whose values are read without details of the type, by type id. */
const PLAIN: Readonly<Record<number, Reading>> = {
  [Type.Null]: { type: 'null', read: same },
  [Type.Bool]: { type: 'bool', read: same },
  [Type.Float]: { type: 'float64', read: same },
  [Type.Utf8]: TEXT,
  [Type.LargeUtf8]: TEXT,
  [Type.Duration]: { type: 'int64', read: same },
};

// The guards of `DataType` compare type ids: they work for types of another copy of the library.
function readingOf(type: DataType, forms: ColumnForms): Reading | undefined {
  if (DataType.isInt(type))
    return forms.wide === 'utf8' && isWide(type) ? { type: 'utf8', read: String } : { type: 'int64', read: same };
  if (DataType.isDecimal(type)) return decimalReading(type, forms);
  if (DataType.isDate(type)) return dateReading(forms);
  if (DataType.isTime(type)) return momentReading(type.unit, { logical: 'time' }, forms);
  if (DataType.isTimestamp(type)) {
    const zoned = typeof type.timezone === 'string';
    // No cell holds nanoseconds with a zone.
    if (zoned && forms.needs?.has('nanoseconds') === true) return undefined;
    return momentReading(type.unit, { logical: 'timestamp', zoned }, forms);
  }
  if (DataType.isDictionary(type)) return readingOf(dictionaryOf(type), forms);
  if (DataType.isStruct(type)) return structReading(type, forms);
  if (DataType.isMap(type)) return mapReading(type, forms);
  if (DataType.isList(type) || DataType.isLargeList(type) || DataType.isFixedSizeList(type))
    return listReading(type, forms);
  return isBytes(type) ? bytesReading(forms.bytesText) : PLAIN[type.typeId];
}

/** Decimals as floats, or as text if a float would round one. */
function decimalReading(
  { precision, scale }: { readonly precision: number; readonly scale: number },
  { needs, note }: ColumnForms,
): Reading {
  const type = decimalType(precision, scale);
  const textOf = (value: unknown): string => decimalText(String(value), scale);
  if (needs?.has('digits') === true && type === 'float64') return { type: 'utf8', read: textOf };
  const read: ReadArrow = (value) => {
    const number = Number(`${String(value)}e-${scale}`);
    if (note && type === 'float64' && digitsOf(String(number)) !== digitsOf(String(value))) note('digits');
    return number;
  };
  return { type, read };
}

/** An integer as a decimal with so many digits behind its point. */
function decimalText(integer: string, scale: number): string {
  if (scale <= 0) return `${integer}${'0'.repeat(-scale)}`;
  const digits = integer.replace('-', '').padStart(scale + 1, '0');
  return `${integer.startsWith('-') ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** The digits of a number without its zeros at either end. */
function digitsOf(number: string): string {
  return number.replace(/e.*$|[-.]/g, '').replace(/^0+|0+$/g, '');
}

/** Dates of JavaScript have a time of day in Arrow's dates of milliseconds. */
function dateReading({ needs, note }: ColumnForms): Reading {
  if (needs?.has('time') === true) {
    const type = { logical: 'timestamp', unit: 'ms', zoned: true } as const;
    return { type, read: (value) => momentText(BigInt(Number(value)), type) };
  }
  const type = { logical: 'date' } as const;
  const read: ReadArrow = (value) => {
    if (Number(value) % DAY_MS !== 0) note?.('time');
    // An older copy of the library gives a `Date`, which holds no infinity.
    return Number.isNaN(Number(value)) ? 'infinity' : momentText(BigInt(Math.floor(Number(value) / DAY_MS)), type);
  };
  return { type, read };
}

/** Moments in units of an Arrow type: in microseconds, or in nanoseconds if one needs them. */
function momentReading(
  arrowUnit: TimeUnit,
  form: { readonly logical: 'time' } | { readonly logical: 'timestamp'; readonly zoned: boolean },
  { needs, note }: ColumnForms,
): Reading {
  const unit = needs?.has('nanoseconds') === true ? 'ns' : 'us';
  const [perSecond, stored] = [PER_SECOND[arrowUnit], unit === 'ns' ? PER_SECOND[TimeUnit.NANOSECOND] : 1_000_000n];
  const type = { ...form, unit } as const;
  const read: ReadArrow = (value) => {
    // Within a dictionary, the library gives moments in milliseconds.
    const units =
      typeof value === 'bigint' ? value : BigInt(Math.round(Number(value) * MILLIS_TO[form.logical](perSecond)));
    if (note && perSecond > stored && (units * stored) % perSecond !== 0n) note('nanoseconds');
    return momentText((units * stored) / perSecond, type);
  };
  return { type, read };
}

/** What a number of the library counts: units of a time of day, and milliseconds of a timestamp. */
const MILLIS_TO = { time: () => 1, timestamp: (perSecond: bigint) => Number(perSecond) / 1000 } as const;

function dictionaryOf(type: { readonly dictionary: DataType }): DataType {
  return type.dictionary;
}

function childrenOf({ children }: DataType): readonly ArrowColumn[] {
  return (children as readonly ArrowColumn[] | null) ?? [];
}

function listReading(list: DataType, forms: ColumnForms): Reading | undefined {
  const [item] = childrenOf(list);
  const inner = item && readingOf(item.type, forms);
  if (!inner) return undefined;
  const read = orNull(inner.read);
  // Items cannot be marked as JSON text: the whole list becomes JSON.
  const isJson = inner.json === true;
  return {
    type: isJson ? 'utf8' : { list: inner.type },
    json: isJson,
    read: (value) => (isIterable(value) ? Array.from(value, read) : null),
  };
}

function structReading(type: DataType, forms: ColumnForms): Reading | undefined {
  const members: ArrowInput[] = [];
  for (const child of childrenOf(type)) {
    const isContent = isStoredFile(childrenOf(type)) && isBytes(child.type);
    const member = arrowInput(child, isContent ? { ...forms, bytesText: base64Text } : forms);
    if (!member) return undefined;
    members.push(member);
  }
  return {
    type: { struct: members.map((member) => member.field) },
    read: (value) => {
      const parts = isStructRow(value) ? value.toArray() : [];
      return Object.fromEntries(members.map((member, index) => [member.field.name, member.read(parts[index])]));
    },
  };
}

/** Maps become JSON text: their keys differ from row to row. */
function mapReading(type: DataType, forms: ColumnForms): Reading | undefined {
  const [entries] = childrenOf(type);
  const [, values] = entries ? childrenOf(entries.type) : [];
  const inner = values && readingOf(values.type, forms);
  if (!inner) return undefined;
  const read = orNull(inner.read);
  return {
    type: 'utf8',
    json: true,
    read: (value) =>
      Object.fromEntries(
        Array.from(isIterable(value) ? value : [], (entry) => {
          const [key, part]: readonly unknown[] = isIterable(entry) ? [...entry] : [];
          return [String(key), read(part)];
        }),
      ),
  };
}

// Rows of structs and maps are proxies that hide their methods from `in`.
function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Reflect.get(value, Symbol.iterator) !== undefined;
}

function isStructRow(value: unknown): value is { readonly toArray: () => readonly unknown[] } {
  return typeof value === 'object' && value !== null && Reflect.get(value, 'toArray') !== undefined;
}

/** Whether a type holds unsigned 64-bit integers, whose values may exceed int64. */
export function isWide(type: DataType): boolean {
  if (DataType.isDictionary(type)) return isWide(dictionaryOf(type));
  if (DataType.isInt(type)) return !type.isSigned && type.bitWidth === 64;
  return childrenOf(type).some((child) => isWide(child.type));
}

function isBytes(type: DataType): boolean {
  if (DataType.isDictionary(type)) return isBytes(dictionaryOf(type));
  return DataType.isBinary(type) || DataType.isLargeBinary(type) || DataType.isFixedSizeBinary(type);
}

/** Whether the values of a type decide whether it needs more than its form holds. */
export function mayNeedMore(type: DataType): boolean {
  if (DataType.isDictionary(type)) return mayNeedMore(dictionaryOf(type));
  if (DataType.isDate(type)) return type.unit === DateUnit.MILLISECOND;
  if (DataType.isTime(type) || DataType.isTimestamp(type)) return type.unit === TimeUnit.NANOSECOND;
  if (DataType.isDecimal(type)) return decimalType(type.precision, type.scale) === 'float64';
  return childrenOf(type).some((child) => mayNeedMore(child.type));
}

/** Whether a type holds timestamps, which the library gives as floats. */
export function holdsTimestamps(type: DataType): boolean {
  return DataType.isTimestamp(type) || childrenOf(type).some((child) => holdsTimestamps(child.type));
}

/** Whether a type holds bytes that may be text, unlike the content of stored files. */
export function holdsBytes(type: DataType): boolean {
  if (DataType.isDictionary(type)) return holdsBytes(dictionaryOf(type));
  const isFile = DataType.isStruct(type) && isStoredFile(childrenOf(type));
  return isBytes(type) || childrenOf(type).some((child) => !(isFile && isBytes(child.type)) && holdsBytes(child.type));
}

function bytesReading(bytesText: ColumnForms['bytesText']): Reading {
  return { type: 'utf8', read: (value) => (value instanceof Uint8Array ? bytesText(value) : String(value)) };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text that bytes are in UTF-8; undefined for other bytes. NUL stands only in binary files. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
