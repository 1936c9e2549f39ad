import {
  type ArrowField,
  type ArrowType,
  type Batch,
  type CellValue,
  field,
  type Fields,
  Float,
  isFields,
  messageFields,
} from '@data-designer/core';
import { holdsJson } from './decode-row.ts';
import { messageOf } from './trace-layout.ts';

/**
 * The batch in the columns that NeMo Data Designer writes: it gives every value the type that the values of the batch have,
 * where we store JSON text, and it stores the content of a trace's messages as a list of parts.
 */
export function inPythonLayout(batch: Batch): Batch {
  const columns = new Map(batch.columns);
  const fields = batch.fields.map((own) => {
    const values = columns.get(own.name);
    if (values === undefined) return own;
    if (!messageFields(own.type)) return holdsJson(own) ? typedBy(own, values) : own;
    const traces = Array.from(values, (trace) => (Array.isArray(trace) ? trace.map(messageOf) : null));
    columns.set(own.name, traces);
    return field(own.name, inferred(traces) ?? TEXT_MESSAGES);
  });
  return { ...batch, columns, fields };
}

/** The field with types for its JSON text, wherever one type holds all values of the batch. */
function typedBy(own: ArrowField, values: ArrayLike<unknown>): ArrowField {
  if (own.encoded === true) return own;
  const type = own.json === true ? inferred(values) : typeWith(own.type, values);
  return type === undefined ? own : field(own.name, type, { nullable: own.nullable });
}

function typeWith(type: ArrowType, values: ArrayLike<unknown>): ArrowType {
  if (typeof type === 'string') return type;
  const there = Array.from(values);
  if ('list' in type)
    return {
      list: typeWith(
        type.list,
        there.flatMap((value) => (Array.isArray(value) ? value : [])),
      ),
    };
  const structs = there.filter(isFields);
  if ('logical' in type) return type;
  return {
    struct: type.struct.map((one) =>
      typedBy(
        one,
        structs.map((struct) => struct[one.name]),
      ),
    ),
  };
}

/** The bounds of what an int64 holds. */
const INT64_LOW = -(2n ** 63n);
const INT64_END = 2n ** 63n;

/** The one type of all values, `null` if there is none but null; undefined if no type holds them all. */
function inferred(values: ArrayLike<unknown>): ArrowType | undefined {
  const there = Array.from(values).filter((value) => value !== null && value !== undefined);
  const kinds = new Set(there.map(kindOf));
  if (kinds.size === 0) return 'null';
  if (kinds.size === 2 && kinds.has('int64') && kinds.has('float64'))
    return there.every(isExactFloat) ? 'float64' : undefined;
  const [kind] = kinds;
  if (kinds.size > 1 || kind === undefined || kind === 'other') return undefined;
  if (kind === 'list') {
    const items = inferred(there.flatMap((list) => list as CellValue[]));
    return items && { list: items };
  }
  return kind === 'struct' ? inferredStruct(there as Fields[]) : kind;
}

/** Whether a float holds a number without rounding it. */
function isExactFloat(value: unknown): boolean {
  return typeof value !== 'bigint' || BigInt(Number(value)) === value;
}

/** The members of all structs, in the order in which they first appear. */
function inferredStruct(structs: readonly Fields[]): ArrowType | undefined {
  const names = new Set(structs.flatMap((struct) => Object.keys(struct)));
  // Parquet has no struct without members.
  if (names.size === 0) return undefined;
  const members = Array.from(names, (name) => ({ name, type: inferred(structs.map((struct) => struct[name])) }));
  if (members.some(({ type }) => type === undefined)) return undefined;
  return { struct: members.flatMap(({ name, type }) => (type === undefined ? [] : field(name, type))) };
}

function kindOf(value: unknown): 'bool' | 'utf8' | 'int64' | 'float64' | 'list' | 'struct' | 'other' {
  if (typeof value === 'string') return 'utf8';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'bigint') return value >= INT64_LOW && value < INT64_END ? 'int64' : 'other';
  if (value instanceof Float) return 'float64';
  if (Array.isArray(value)) return 'list';
  return isFields(value) ? 'struct' : 'other';
}

/** The type of the traces of a batch without any message. */
const TEXT_MESSAGES: ArrowType = {
  list: {
    struct: [
      field('role', 'utf8'),
      field('content', { list: { struct: [field('type', 'utf8'), field('text', 'utf8')] } }),
    ],
  },
};
