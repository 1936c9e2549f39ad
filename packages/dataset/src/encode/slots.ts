import { type ArrowField, type ArrowType, type Batch, DataDesignerError, Float } from '@data-designer/core';

/** The values of one Arrow array, at any depth of a column, and the rows that they belong to. */
export interface Slots {
  /** The column's name with the path of a nested value: `trace[].tool_calls[].id`. */
  readonly name: string;
  readonly values: ArrayLike<unknown>;
  /** The row of the batch that a slot belongs to; for the report of an error. */
  readonly rowOf: (slot: number) => number;
}

/** The values of one field of a batch; a `TypeError` for a missing column or a wrong length, `dataset/misfit` for a forbidden null. */
export function slotsOf({ columns, rows, firstRow = 0 }: Batch, field: ArrowField): Slots {
  const values = columns.get(field.name);
  if (values === undefined) throw new TypeError(`Column '${field.name}' is declared but has no values.`);
  if (values.length !== rows) {
    throw new TypeError(`Column '${field.name}' has ${values.length} values, but the batch has ${rows} rows.`);
  }
  const slots: Slots = { name: field.name, values, rowOf: (slot) => firstRow + slot };
  if (field.nullable || ArrayBuffer.isView(values)) return slots;
  for (let slot = 0; slot < rows; slot++) {
    if (values[slot] === null || values[slot] === undefined) throw misfit(slots, slot, field.type);
  }
  return slots;
}

/** The validity of an Arrow array as `makeData` takes it; no bitmap if no slot is null. */
export interface Validity {
  readonly nullCount: number;
  readonly nullBitmap?: Uint8Array;
}

/** Counts null and undefined values and marks them in a bitmap, least significant bit first. */
export function validityOf(values: ArrayLike<unknown>): Validity {
  if (ArrayBuffer.isView(values)) return { nullCount: 0 };
  let nullCount = 0;
  let nullBitmap: Uint8Array | undefined;
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot];
    if (value !== null && value !== undefined) continue;
    nullBitmap ??= new Uint8Array(Math.ceil(values.length / 8)).fill(0xff);
    nullBitmap[slot >> 3]! &= ~(1 << (slot & 7));
    nullCount++;
  }
  return nullBitmap === undefined ? { nullCount } : { nullCount, nullBitmap };
}

/** The error for a value that its column's type cannot hold: names the column, the row, the type and the value. */
export function misfit(slots: Slots, slot: number, type: ArrowType): DataDesignerError<'dataset/misfit'> {
  const found = describeValue(slots.values[slot]);
  const expected = printArrowType(type);
  return new DataDesignerError('dataset/misfit', { column: slots.name, row: slots.rowOf(slot), expected, found });
}

function printArrowType(type: ArrowType): string {
  if (typeof type === 'string') return type;
  if ('logical' in type)
    return type.logical === 'decimal' ? `decimal(${type.precision}, ${type.scale})` : `a ${type.logical}`;
  if ('list' in type) return `list<${printArrowType(type.list)}>`;
  return `struct<${type.struct.map(({ name }) => name).join(', ')}>`;
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Float) return `the float ${String(value)}`;
  if (typeof value === 'number') return `the ${Number.isInteger(value) ? 'integer' : 'float'} ${value}`;
  if (typeof value === 'bigint') return `the integer ${excerpt(String(value))}`;
  if (typeof value === 'string') return `the text ${JSON.stringify(excerpt(value))}`;
  if (typeof value === 'boolean') return `the boolean ${value}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function excerpt(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}
