import type { ColumnSource } from 'hyparquet-writer';
import {
  type ArrowField,
  type ArrowScalar,
  type ArrowType,
  DataDesignerError,
  jsonTextOf,
  type LogicalType,
} from '@data-designer/core';
import { decimalUnits } from '../../encode/decimals.ts';
import { momentNumber } from '../../encode/moments.ts';
import { asFloat64, asInt64, float64Array, int64Array } from '../../encode/numbers.ts';
import { misfit, type Slots, validityOf } from '../../encode/slots.ts';
import { isStructValue, memberOf } from '../../encode/struct-value.ts';

/** Converts a value to the form that the Parquet writer takes; returns the same value if it has that form. */
type Fit = (value: unknown, row: number) => unknown;

/** Converts values to primitive types; undefined for values that do not fit. */
const ACCEPTED = {
  bool: (value) => (typeof value === 'boolean' ? value : undefined),
  int64: asInt64,
  float64: asFloat64,
  utf8: (value) => (typeof value === 'string' ? value : undefined),
  null: () => undefined,
} as const satisfies Record<ArrowScalar, (value: unknown) => unknown>;

/** Converts values for the writer: integers to `bigint`, JSON to text, structs to records; throws `dataset/misfit`. */
export function parquetColumn(field: ArrowField, slots: Slots): ColumnSource {
  const source = { name: field.name, data: parquetValues(field, slots) };
  // The writer's dictionary does not tell 0 from -0.
  return field.type === 'float64' ? { ...source, encoding: 'PLAIN' } : source;
}

function parquetValues(field: ArrowField, slots: Slots): ColumnSource['data'] {
  const { values, rowOf } = slots;
  if (field.type === 'int64' && validityOf(values).nullCount === 0) return int64Array(slots);
  if (field.type === 'float64' && validityOf(values).nullCount === 0) return float64Array(slots);
  const fit = fitField(field, slots.name);
  const fitted: unknown[] = [];
  for (let slot = 0; slot < values.length; slot++) fitted.push(fit(values[slot], rowOf(slot)));
  return fitted;
}

function fitField({ type, json, nullable }: ArrowField, name: string): Fit {
  const fit = json === true ? fitJson(name, type) : fitType(type, name);
  return (value, row) => {
    if (value !== null && value !== undefined) return fit(value, row);
    if (nullable) return null;
    throw misfitAt(name, type, { value, row });
  };
}

function fitType(type: ArrowType, name: string): Fit {
  if (typeof type === 'string') return fitScalar(name, type, ACCEPTED[type]);
  if ('logical' in type) return fitScalar(name, type, (value) => logicalValue(value, type));
  return 'list' in type ? fitList(type.list, name) : fitStruct(type.struct, name);
}

function fitScalar(name: string, type: ArrowType, accept: (value: unknown) => unknown): Fit {
  return (value, row) => {
    const accepted = accept(value);
    if (accepted === undefined) throw misfitAt(name, type, { value, row });
    return accepted;
  };
}

function logicalValue(value: unknown, type: LogicalType): bigint | number | undefined {
  if (type.logical === 'decimal') return decimalUnits(value, type);
  const number = momentNumber(value, type);
  // The writer takes 32-bit integers as numbers.
  return type.logical === 'date' && number !== undefined ? Number(number) : number;
}

function fitJson(name: string, type: ArrowType): Fit {
  const fit = fitType(type, name);
  return (value, row) => fit(jsonTextOf(value, type), row);
}

function fitList(itemType: ArrowType, name: string): Fit {
  const fit = fitField({ name, type: itemType, nullable: true }, `${name}[]`);
  return (value, row) => {
    if (!Array.isArray(value)) throw misfitAt(name, { list: itemType }, { value, row });
    let fitted: unknown[] = value;
    for (let index = 0; index < value.length; index++) {
      const item = fit(value[index], row);
      if (item === fitted[index]) continue;
      if (fitted === value) fitted = [...value];
      fitted[index] = item;
    }
    return fitted;
  };
}

function fitStruct(members: readonly ArrowField[], name: string): Fit {
  const fits = members.map((member) => ({
    name: member.name,
    get: memberOf(member.name),
    fit: fitField(member, `${name}.${member.name}`),
  }));
  return (value, row) => {
    if (!isStructValue(value)) throw misfitAt(name, { struct: members }, { value, row });
    // Objects of one shape with own members only: the writer reads these fastest.
    const fitted: Record<string, unknown> = {};
    for (const member of fits) define(fitted, member.name, member.fit(member.get(value), row));
    return fitted;
  };
}

function define(record: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(record, name, { value, enumerable: true });
  else record[name] = value;
}

function misfitAt(name: string, type: ArrowType, { value, row }: { value: unknown; row: number }): DataDesignerError {
  return misfit({ name, values: [value], rowOf: () => row }, 0, type);
}
