import { stringifyJson } from './json.ts';
/** An Arrow type without parts; every value of `null` is null. */
export type ArrowScalar = 'bool' | 'int64' | 'float64' | 'utf8' | 'null';

/** An Arrow type as plain data, for plans and channel messages; the dataset writer converts it to a real Arrow type. */
export type ArrowType =
  | ArrowScalar
  | LogicalType
  | { readonly list: ArrowType }
  | { readonly struct: readonly ArrowField[] };

/** A type of files whose cells have another type: text for times, numbers for decimals. */
export type LogicalType =
  | { readonly logical: 'date' }
  | { readonly logical: 'time'; readonly unit: 'us' | 'ns' }
  /** `zoned` for a moment in UTC. Milliseconds are those of JavaScript dates, and print as such. */
  | { readonly logical: 'timestamp'; readonly unit: 'ms' | 'us' | 'ns'; readonly zoned: boolean }
  /** At most `MAX_DECIMAL_DIGITS` digits, which a float holds without loss. */
  | { readonly logical: 'decimal'; readonly precision: number; readonly scale: number };

/** Decimals of more digits are stored as floats. */
export const MAX_DECIMAL_DIGITS = 15;

/** The key of the Arrow field metadata that marks text as JSON. */
export const JSON_MARK = 'data-designer:json';

/** A named Arrow type; `json` marks text that holds JSON, and lists of such text. */
export interface ArrowField {
  /** The name of the column. */
  readonly name: string;
  /** The type of its values. */
  readonly type: ArrowType;
  /** Whether values may be null. */
  readonly nullable: boolean;
  /** Whether the text is JSON. */
  readonly json?: boolean;
  /** Whether the declaration asks for JSON text, so that no layout of the files gives the values another type. */
  readonly encoded?: boolean;
}

/** Makes an Arrow field; it is nullable unless the options say otherwise. */
export function field(
  name: string,
  type: ArrowType,
  options: { nullable?: boolean; json?: boolean; encoded?: boolean } = {},
): ArrowField {
  const { nullable = true, json = false, encoded = false } = options;
  if (!json) return { name, type, nullable };
  return encoded ? { name, type, nullable, json, encoded } : { name, type, nullable, json };
}

/** A field whose declaration asks for JSON text, or for lists of it. */
export function encodedField(name: string, type: ArrowType = 'utf8'): ArrowField {
  return field(name, type, { json: true, encoded: true });
}

/** The texts that a JSON field of the type stores for a value: one, or one for each item of its lists. */
export function jsonTextOf(value: unknown, type: ArrowType): unknown {
  if (value === null || value === undefined) return null;
  if (typeof type === 'object' && 'list' in type && Array.isArray(value)) {
    return value.map((item) => jsonTextOf(item, type.list));
  }
  return stringifyJson(value);
}

/** The type of the cells of a column: no logical type, and text for a column of nulls. */
export function cellType(type: ArrowType): ArrowType {
  if (type === 'null') return 'utf8';
  if (typeof type === 'string') return type;
  if ('logical' in type) return type.logical === 'decimal' ? 'float64' : 'utf8';
  return 'list' in type ? { list: cellType(type.list) } : { struct: type.struct.map(cellField) };
}

/** The field with the type of its cells, which seed tables and templates use. */
export function cellField(declared: ArrowField): ArrowField {
  return { ...declared, type: cellType(declared.type) };
}
