// The pages of a static copy use this module too: it must not import what needs Node.
import { type ArrowField, type ArrowType, type LogicalType, printFloat, stringifyJson } from '@data-designer/core';
import type { ColumnInfo } from './api/columns.ts';
import { memberType } from './server/query/column-bars.ts';

/** Writes a value that is not null as the text that conditions and searches read. */
export type TextOf = (value: unknown) => string;

/** The texts of the values of columns, as DuckDB writes them for the conditions of the served page. */
export function cellTexts(fields: readonly ArrowField[]): ReadonlyMap<string, TextOf> {
  return new Map(fields.map((field) => [field.name, textOf(field)]));
}

/** The columns that a search reads: numbers are searched for the text of a number alone. */
export function searchedColumns<Column extends Pick<ColumnInfo, 'isNested' | 'type'>>(
  columns: readonly Column[],
  search: string,
): readonly Column[] {
  const isNumber = /^[-+\d.eE]+$/.test(search);
  return columns.filter(({ isNested, type }) => isNested || type === 'utf8' || isNumber);
}

/** A text without regard to case, as DuckDB folds it: one character for one, wherever it stands in a word. */
export function foldCase(text: string): string {
  return text.replaceAll('İ', 'i').replaceAll('Σ', 'σ').toLowerCase();
}

/** Writes the members of a value that a path leads to: texts as they are, other values as JSON text. */
export function memberText(type: ArrowType, path: readonly string[]): TextOf {
  const write = jsonOf(memberType(type, path) ?? 'utf8');
  return (value) =>
    typeof value === 'string' ? value : typeof value === 'object' ? stringifyJson(value) : write(value);
}

/** Writes the values of a column as text. */
export function textOf({ type, json }: Pick<ArrowField, 'type' | 'json'>): TextOf {
  if (json === true) return stringifyJson;
  if (typeof type === 'string') return type === 'float64' ? (value) => printFloat(Number(value)) : String;
  return 'logical' in type ? logicalText(type) : jsonOf(type);
}

function logicalText(type: LogicalType): TextOf {
  if (type.logical === 'decimal') return (value) => decimalText(Number(value), type.scale);
  return (value) => momentText(String(value));
}

/** A decimal with all digits of its scale. */
function decimalText(value: number, scale: number): string {
  const text = String(value);
  if (/e/.test(text)) return value.toFixed(scale);
  const [whole = '', fraction = ''] = text.split('.');
  return scale === 0 ? whole : `${whole}.${fraction.padEnd(scale, '0')}`;
}

/** A date or a time in one form: `2024-02-29 12:00:00.5+00`. */
export function momentText(text: string): string {
  return text
    .replace(/(?<=\d)T(?=\d)/, ' ')
    .replace(/(?:\.0*|(\.\d*?[1-9])0*)(?=$|[Z+])/, '$1')
    .replace(/(?:Z|\+00:00)$/, '+00');
}

/** Writes nested values as JSON text. */
function jsonOf(type: ArrowType, isJson = false): TextOf {
  // The built-in function is several times as fast.
  if (isPlain(type)) return (value) => JSON.stringify(value ?? null);
  const write = jsonPart(type, isJson);
  return (value) => (value === null || value === undefined ? 'null' : write(value));
}

/** Whether JSON text of the values is what `JSON.stringify` writes. */
function isPlain(type: ArrowType): boolean {
  if (typeof type === 'string') return type === 'utf8' || type === 'bool' || type === 'null';
  if ('list' in type) return isPlain(type.list);
  return 'struct' in type && type.struct.every((member) => member.json !== true && isPlain(member.type));
}

function jsonPart(type: ArrowType, isJson: boolean): TextOf {
  if (isJson) return (value) => JSON.stringify(stringifyJson(value));
  if (typeof type === 'string') return type === 'float64' ? (value) => jsonFloat(Number(value)) : String;
  if ('list' in type) {
    const item = jsonOf(type.list);
    return (value) => `[${(Array.isArray(value) ? value : []).map(item).join(',')}]`;
  }
  if ('struct' in type) {
    const members = type.struct.map((member) => {
      return [member.name, JSON.stringify(member.name), jsonOf(member.type, member.json)] as const;
    });
    return (value) => {
      const fields = value as Readonly<Record<string, unknown>>;
      return `{${members.map(([name, key, write]) => `${key}:${write(fields[name])}`).join(',')}}`;
    };
  }
  const text = logicalText(type);
  return type.logical === 'decimal' ? text : (value) => JSON.stringify(text(value));
}

/** A float in the JSON text of DuckDB: with a point or an exponent without a sign. */
function jsonFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value).replace('e+', 'e');
  return /[.e]/.test(text) ? text : `${text}.0`;
}
