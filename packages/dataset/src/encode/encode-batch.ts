import { Bool, BufferType, Data, Float64, Int64, List, makeData, Null, RecordBatch, Struct } from 'apache-arrow';
import {
  type ArrowField,
  type ArrowScalar,
  type ArrowType,
  type Batch,
  jsonTextOf,
  type LogicalType,
} from '@data-designer/core';
import { arrowField, arrowSchema, listItem, logicalDataType } from './arrow-schema.ts';
import { decimalUnits } from './decimals.ts';
import { encodeText } from './encode-text.ts';
import { momentNumber } from './moments.ts';
import { float64Array, int64Array, unitsArray } from './numbers.ts';
import { misfit, type Slots, slotsOf, type Validity, validityOf } from './slots.ts';
import { isStructValue, memberOf } from './struct-value.ts';

/** Encodes the columns of a batch as one Arrow record batch. Typed arrays are shared, not copied. Throws `dataset/misfit`. */
export function encodeBatch(batch: Batch): RecordBatch {
  const schema = arrowSchema(batch.fields);
  const children = batch.fields.map((field) => encodeColumn(field, slotsOf(batch, field)));
  const struct = { type: new Struct(schema.fields), length: batch.rows, nullCount: 0, children };
  return new RecordBatch(schema, makeData(struct));
}

/** Encodes the values of a field, at any depth. */
function encodeColumn(field: ArrowField, slots: Slots): Data {
  return encodeType(
    field.type,
    field.json === true ? { ...slots, values: jsonTexts(slots.values, field.type) } : slots,
  );
}

/** The values as JSON text, or as lists of it; null and undefined become null. */
function jsonTexts(values: ArrayLike<unknown>, type: ArrowType): readonly unknown[] {
  return Array.from(values, (value) => jsonTextOf(value, type));
}

const ENCODERS = {
  bool: (slots) => makeData({ type: new Bool(), ...lengthAndNulls(slots), data: packedBits(slots) }),
  int64: (slots) => makeData({ type: new Int64(), ...lengthAndNulls(slots), data: int64Array(slots) }),
  float64: (slots) => makeData({ type: new Float64(), ...lengthAndNulls(slots), data: float64Array(slots) }),
  utf8: encodeText,
  null: encodeNulls,
} as const satisfies Record<ArrowScalar, (slots: Slots) => Data>;

function encodeType(type: ArrowType, slots: Slots): Data {
  if (typeof type === 'string') return ENCODERS[type](slots);
  if ('logical' in type) return encodeLogical(type, slots);
  return 'list' in type ? encodeList(type.list, slots) : encodeStruct(type.struct, slots);
}

function lengthAndNulls({ values }: Slots): Validity & { readonly length: number } {
  return { length: values.length, ...validityOf(values) };
}

function encodeLogical(type: LogicalType, slots: Slots): Data {
  const isDecimal = type.logical === 'decimal';
  const { nullCount, nullBitmap } = validityOf(slots.values);
  const units = unitsArray(slots, type, (value) => (isDecimal ? decimalUnits(value, type) : momentNumber(value, type)));
  const data = storedUnits(type, units);
  // `makeData` takes one type of times, not their union.
  const buffers = { [BufferType.DATA]: data, ...(nullBitmap ? { [BufferType.VALIDITY]: nullBitmap } : {}) };
  return new Data(logicalDataType(type), 0, slots.values.length, nullCount, buffers);
}

/** Dates have 32 bits, decimals 128. */
function storedUnits({ logical }: LogicalType, units: BigInt64Array): BigInt64Array | Int32Array | Uint32Array {
  if (logical === 'date') return Int32Array.from(units, Number);
  if (logical !== 'decimal') return units;
  const wide = new BigInt64Array(units.length * 2);
  units.forEach((unit, slot) => wide.set([unit, unit < 0n ? -1n : 0n], 2 * slot));
  return new Uint32Array(wide.buffer);
}

function encodeNulls(slots: Slots): Data {
  const { values } = slots;
  for (let slot = 0; slot < values.length; slot++) {
    if (values[slot] !== null && values[slot] !== undefined) throw misfit(slots, slot, 'null');
  }
  return makeData({ type: new Null(), length: values.length, nullCount: values.length });
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

/** The list that holds an item; called only for error messages. */
function slotHolding(item: number, offsets: Int32Array): number {
  return offsets.findIndex((offset) => offset > item) - 1;
}

function encodeStruct(members: readonly ArrowField[], slots: Slots): Data {
  const { values } = slots;
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot];
    if (value !== null && value !== undefined && !isStructValue(value)) throw misfit(slots, slot, { struct: members });
  }
  const children = members.map((member) => encodeColumn(member, memberSlots(member, slots)));
  const type = new Struct(members.map((member) => arrowField(member)));
  return makeData({ type, ...lengthAndNulls(slots), children });
}

/** One member of every struct, null for a null struct. Throws `dataset/misfit` if a required member is missing. */
function memberSlots({ name, nullable, type }: ArrowField, parent: Slots): Slots {
  const get = memberOf(name);
  const values: unknown[] = [];
  const slots: Slots = { name: `${parent.name}.${name}`, values, rowOf: parent.rowOf };
  for (let slot = 0; slot < parent.values.length; slot++) {
    const struct = parent.values[slot];
    if (!isStructValue(struct)) {
      values.push(null);
      continue;
    }
    const value = get(struct);
    values.push(value);
    if (!nullable && (value === null || value === undefined)) throw misfit(slots, slot, type);
  }
  return slots;
}
