import { type DataType, Type } from 'apache-arrow';
import { type ArrowField, type ArrowType, field } from '@data-designer/core';
import { dateText, momentText, timeText } from './time-text.ts';

/** Turns a value as Arrow gives it into the one that its field stores. */
type ReadArrow = (value: unknown) => unknown;

/** A column of an Arrow table as one of ours, and how its values are read. */
export interface ArrowInput {
  readonly field: ArrowField;
  readonly read: ReadArrow;
}

interface Reading {
  readonly type: ArrowType;
  readonly json?: boolean;
  readonly read: ReadArrow;
}

/** How integers beyond 64 bits with a sign are read: as such, or all of their column as text. */
export type WideIntegers = 'int64' | 'utf8';

/** How a column of an Arrow table is read; undefined for a kind of values that rows do not hold. */
export function arrowInput(name: string, type: DataType, wide: WideIntegers = 'int64'): ArrowInput | undefined {
  const reading = readingOf(type, wide);
  if (!reading) return undefined;
  return { field: field(name, reading.type, { json: reading.json === true }), read: orNull(reading.read) };
}

const orNull =
  (read: ReadArrow): ReadArrow =>
  (value) =>
    value === null || value === undefined ? null : read(value);

const same: ReadArrow = (value) => value;

/** By the number of an Arrow type; its details are read off the type. */
const SCALARS: Readonly<Record<number, (type: DataType, wide: WideIntegers) => Reading>> = {
  [Type.Null]: () => ({ type: 'utf8', read: same }),
  [Type.Bool]: () => ({ type: 'bool', read: same }),
  [Type.Int]: (type, wide) =>
    wide === 'utf8' && isWide(type) ? { type: 'utf8', read: String } : { type: 'int64', read: same },
  [Type.Float]: () => ({ type: 'float64', read: same }),
  [Type.Utf8]: () => ({ type: 'utf8', read: same }),
  [Type.LargeUtf8]: () => ({ type: 'utf8', read: same }),
  [Type.Binary]: () => ({ type: 'utf8', read: bytesText }),
  [Type.LargeBinary]: () => ({ type: 'utf8', read: bytesText }),
  [Type.FixedSizeBinary]: () => ({ type: 'utf8', read: bytesText }),
  [Type.Decimal]: (type) => ({ type: 'float64', read: (value) => decimalNumber(value, type) }),
  [Type.Date]: () => ({ type: 'utf8', read: (value) => dateText(Number(value)) }),
  [Type.Time]: (type) => ({ type: 'utf8', read: (value) => timeText(value as number | bigint, unitOf(type)) }),
  [Type.Timestamp]: (type) => ({
    type: 'utf8',
    read: (value) => momentText(Number(value), { isZoned: isZoned(type) }),
  }),
};

function readingOf(type: DataType, wide: WideIntegers): Reading | undefined {
  const { typeId, children } = type as DataType & { readonly children?: readonly { readonly type: DataType }[] };
  const scalar = SCALARS[typeId];
  if (scalar) return scalar(type, wide);
  if (typeId === Type.Dictionary)
    return readingOf((type as unknown as { readonly dictionary: DataType }).dictionary, wide);
  if (typeId === Type.Struct) return structReading(type, wide);
  if (typeId === Type.Map) return mapReading(type, wide);
  const item =
    typeId === Type.List || typeId === Type.LargeList || typeId === Type.FixedSizeList ? children?.[0] : undefined;
  return item && listReading(item.type, wide);
}

function listReading(item: DataType, wide: WideIntegers): Reading | undefined {
  const inner = readingOf(item, wide);
  if (!inner) return undefined;
  const read = orNull(inner.read);
  // Text that is JSON has no mark within a list.
  const isJson = inner.json === true;
  return {
    type: isJson ? 'utf8' : { list: inner.type },
    json: isJson,
    read: (value) => Array.from(value as Iterable<unknown>, read),
  };
}

function structReading(type: DataType, wide: WideIntegers): Reading | undefined {
  const members: ArrowInput[] = [];
  for (const { name, type: inner } of type.children) {
    const member = arrowInput(name, inner as DataType, wide);
    if (!member) return undefined;
    members.push(member);
  }
  return {
    type: { struct: members.map((member) => member.field) },
    read: (value) => {
      const parts = (value as { readonly toArray: () => readonly unknown[] }).toArray();
      return Object.fromEntries(members.map((member, index) => [member.field.name, member.read(parts[index])]));
    },
  };
}

/** A mapping of any keys is JSON text. */
function mapReading(type: DataType, wide: WideIntegers): Reading | undefined {
  const entries = type.children[0] as { readonly type: DataType };
  const [, values] = entries.type.children;
  const inner = values && readingOf(values.type as DataType, wide);
  if (!inner) return undefined;
  const read = orNull(inner.read);
  return {
    type: 'utf8',
    json: true,
    read: (value) =>
      Object.fromEntries(
        Array.from(value as Iterable<readonly [unknown, unknown]>, ([key, part]) => [String(key), read(part)]),
      ),
  };
}

/** Whether values of a type may be integers beyond 64 bits with a sign. */
export function isWide(type: DataType): boolean {
  const { typeId, children } = type as DataType & { readonly children?: readonly { readonly type: DataType }[] | null };
  if (typeId === Type.Dictionary) return isWide((type as unknown as { readonly dictionary: DataType }).dictionary);
  const { isSigned, bitWidth } = type as unknown as { readonly isSigned: boolean; readonly bitWidth: number };
  if (typeId === Type.Int) return !isSigned && bitWidth === 64;
  return (children ?? []).some((child) => isWide(child.type));
}

function unitOf(type: DataType): number {
  return (type as unknown as { readonly unit: number }).unit;
}

function isZoned(type: DataType): boolean {
  return typeof (type as unknown as { readonly timezone?: string | null }).timezone === 'string';
}

function decimalNumber(value: unknown, type: DataType): number {
  return Number(`${String(value)}e-${(type as unknown as { readonly scale: number }).scale}`);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes as the text that they are, or else with each byte beyond ASCII written out. */
function bytesText(value: unknown): string {
  const bytes = value as Uint8Array;
  try {
    return utf8.decode(bytes);
  } catch {
    return Array.from(bytes, (byte) =>
      byte < 0x20 || byte > 0x7e ? `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}` : String.fromCharCode(byte),
    ).join('');
  }
}
