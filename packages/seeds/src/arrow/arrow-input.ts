import { DataType, Type } from 'apache-arrow';
import { type ArrowField, type ArrowType, field, JSON_MARK, parseJson } from '@data-designer/core';
import { base64Text } from './bytes-as-text.ts';
import { decimalType } from './arrow-of-duck-db.ts';
import { isStoredFile } from '../tables/stored-file.ts';
import { dateText, momentText, timeText } from './time-text.ts';

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
}

const NARROW: ColumnForms = { wide: 'int64', bytesText: base64Text };

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
const JSON_TEXT: Reading = { type: 'utf8', json: true, read: (value) => parseJson(String(value)) };

/** Types whose values are read without details of the type, by type id. */
const PLAIN: Readonly<Record<number, Reading>> = {
  [Type.Null]: { type: 'null', read: same },
  [Type.Bool]: { type: 'bool', read: same },
  [Type.Float]: { type: 'float64', read: same },
  [Type.Utf8]: TEXT,
  [Type.LargeUtf8]: TEXT,
  [Type.Date]: { type: { logical: 'date' }, read: (value) => dateText(Number(value)) },
  [Type.Duration]: { type: 'int64', read: same },
};

// The guards of `DataType` compare type ids: they work for types of another copy of the library.
function readingOf(type: DataType, forms: ColumnForms): Reading | undefined {
  if (DataType.isInt(type))
    return forms.wide === 'utf8' && isWide(type) ? { type: 'utf8', read: String } : { type: 'int64', read: same };
  if (DataType.isDecimal(type)) {
    const { precision, scale } = type;
    return { type: decimalType(precision, scale), read: (value) => Number(`${String(value)}e-${scale}`) };
  }
  if (DataType.isTime(type)) {
    const { unit } = type;
    const read: ReadArrow = (value) => timeText(typeof value === 'bigint' ? value : Number(value), unit);
    return { type: { logical: 'time', unit: 'us' }, read };
  }
  if (DataType.isTimestamp(type)) {
    const isZoned = typeof type.timezone === 'string';
    const read: ReadArrow = (value) => momentText(Number(value), { isZoned });
    return { type: { logical: 'timestamp', unit: 'us', zoned: isZoned }, read };
  }
  if (DataType.isDictionary(type)) return readingOf(dictionaryOf(type), forms);
  if (DataType.isStruct(type)) return structReading(type, forms);
  if (DataType.isMap(type)) return mapReading(type, forms);
  if (DataType.isList(type) || DataType.isLargeList(type) || DataType.isFixedSizeList(type))
    return listReading(type, forms);
  return isBytes(type) ? bytesReading(forms.bytesText) : PLAIN[type.typeId];
}

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
