import { Bool, type Data, Float64, Int64, List, makeData, Struct } from 'apache-arrow';
import { type ArrowField, type ArrowType, stringifyJson } from '@data-designer/core';
import { arrowField, listItem } from './arrow-schema.ts';
import { encodeText } from './encode-text.ts';
import { misfit } from './misfit.ts';
import { float64Array, int64Array } from './numbers.ts';
import type { Slots } from './slots.ts';
import { isRecord, memberOf } from './struct-member.ts';
import { type Validity, validityOf } from './validity.ts';

/** Encodes the values of a field as Arrow data, at any depth; throws `dataset/misfit` at a value that does not fit. */
export function encodeColumn(field: ArrowField, slots: Slots): Data {
  return encodeType(field.type, field.json === true ? { ...slots, values: jsonTexts(slots.values) } : slots);
}

/** Each value as JSON text, null where there is none. */
function jsonTexts(values: ArrayLike<unknown>): readonly (string | null)[] {
  return Array.from(values, (value) => (value === null || value === undefined ? null : stringifyJson(value)));
}

const ENCODERS = {
  bool: (slots) => makeData({ type: new Bool(), ...lengthAndNulls(slots), data: packedBits(slots) }),
  int64: (slots) => makeData({ type: new Int64(), ...lengthAndNulls(slots), data: int64Array(slots) }),
  float64: (slots) => makeData({ type: new Float64(), ...lengthAndNulls(slots), data: float64Array(slots) }),
  utf8: encodeText,
} as const satisfies Record<Extract<ArrowType, string>, (slots: Slots) => Data>;

function encodeType(type: ArrowType, slots: Slots): Data {
  if (typeof type === 'string') return ENCODERS[type](slots);
  return 'list' in type ? encodeList(type.list, slots) : encodeStruct(type.struct, slots);
}

function lengthAndNulls({ values }: Slots): Validity & { readonly length: number } {
  return { length: values.length, ...validityOf(values) };
}

function packedBits(slots: Slots): Uint8Array {
  const { values } = slots;
  const bits = new Uint8Array(Math.ceil(values.length / 8));
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot];
    if (value === true) bits[slot >> 3]! |= 1 << (slot & 7);
    else if (value !== false && value !== null && value !== undefined) throw misfit(slots, slot, 'bool');
  }
  return bits;
}

function encodeList(itemType: ArrowType, slots: Slots): Data {
  const { name, values, rowOf } = slots;
  const valueOffsets = new Int32Array(values.length + 1);
  const items: unknown[] = [];
  for (let slot = 0; slot < values.length; slot++) {
    const list = values[slot];
    if (Array.isArray(list)) for (let index = 0; index < list.length; index++) items.push(list[index]);
    else if (list !== null && list !== undefined) throw misfit(slots, slot, { list: itemType });
    valueOffsets[slot + 1] = items.length;
  }
  const child = encodeType(itemType, {
    name: `${name}[]`,
    values: items,
    rowOf: (item) => rowOf(slotHolding(item, valueOffsets)),
  });
  return makeData({ type: new List(listItem(itemType)), ...lengthAndNulls(slots), valueOffsets, child });
}

/** The list that an item came from; asked only for error messages. */
function slotHolding(item: number, offsets: Int32Array): number {
  return offsets.findIndex((offset) => offset > item) - 1;
}

function encodeStruct(members: readonly ArrowField[], slots: Slots): Data {
  const { values } = slots;
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot];
    if (value !== null && value !== undefined && !isRecord(value)) throw misfit(slots, slot, { struct: members });
  }
  const children = members.map((member) => encodeColumn(member, memberSlots(member, slots)));
  const type = new Struct(members.map(arrowField));
  return makeData({ type, ...lengthAndNulls(slots), children });
}

/** One member of every struct; null where the struct is null, refused where it is missing from a struct that must have it. */
function memberSlots({ name, nullable, type }: ArrowField, parent: Slots): Slots {
  const get = memberOf(name);
  const values: unknown[] = [];
  const slots: Slots = { name: `${parent.name}.${name}`, values, rowOf: parent.rowOf };
  for (let slot = 0; slot < parent.values.length; slot++) {
    const record = parent.values[slot];
    const value = record === null || record === undefined ? null : get(record);
    values.push(value);
    if (nullable || record === null || record === undefined) continue;
    if (value === null || value === undefined) throw misfit(slots, slot, type);
  }
  return slots;
}
