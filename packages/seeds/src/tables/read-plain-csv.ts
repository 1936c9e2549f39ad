import { readFile } from 'node:fs/promises';
import { type ArrowField, type ArrowType, field } from '@data-designer/core';

/** Larger files are left to DuckDB, which reads them without holding them in memory. */
const MAX_BYTES = 4 * 1024 * 1024;
/** DuckDB guesses the types of a column from its first 20,480 rows; up to here it sees all of them. */
const MAX_ROWS = 20_000;
/** Bytes of quotes, comments, escapes, other delimiters and line ends, which DuckDB's dialect detection decides on. */
const DIALECT_SIGNS = /["'#\\;|\t\r\0\uFEFF]/;
const COLUMN_NAME = /^[A-Za-z_]\w*(?:[ -]\w+)*$/;
const WHOLE_NUMBER = /^(?:0|-?[1-9]\d{0,17})$/;
/** A whole number that a float holds. */
const SHORT_NUMBER = /^(?:0|-?[1-9]\d{0,14})$/;
const DECIMAL = /^-?(?:0|[1-9]\d{0,7})\.\d{1,6}$/;
/** A cell that is text in any reading; one of them makes its column text. */
const CLEAR_TEXT = /^[A-Za-z]{3}/;
/** Words that DuckDB may read as truth values, numbers, times or nothing. */
const NO_TEXT = /^(?:true|false|yes|no|on|off|nan|inf|infinity|epoch|null|none|now|today|tomorrow|yesterday)\b/i;

/** A small table in memory. */
export interface PlainTable {
  readonly fields: readonly ArrowField[];
  /** The values of each column; an empty cell is null. */
  readonly columns: readonly (readonly unknown[])[];
  readonly rows: number;
}

/**
 * Reads a small CSV file with one obvious reading, as DuckDB would read it: commas, no quotes, named columns of text or
 * numbers. Gives undefined for every other file. Loading DuckDB takes longer than a small run and more memory.
 */
export async function readPlainCsv(path: string, bytes: number): Promise<PlainTable | undefined> {
  if (bytes > MAX_BYTES) return undefined;
  const text = decoded(await readFile(path));
  if (text === undefined || DIALECT_SIGNS.test(text)) return undefined;
  const [header = '', ...lines] = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  const names = header.split(',');
  if (lines.length === 0 || lines.length > MAX_ROWS || !areNames(names)) return undefined;
  const cells = lines.map((line) => line.split(','));
  if (cells.some(({ length }) => length !== names.length)) return undefined;
  const columns = names.map((_, index) => columnOf(cells.map((row) => row[index] ?? '')));
  const fields: ArrowField[] = [];
  for (const [index, column] of columns.entries()) {
    if (!column) return undefined;
    fields.push(field(names[index] ?? '', column.type));
  }
  return { fields, columns: columns.map((column) => column?.values ?? []), rows: lines.length };
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function areNames(names: readonly string[]): boolean {
  const distinct = new Set(names.map((name) => name.toLowerCase()));
  const areClear = names.every((name) => COLUMN_NAME.test(name) && !NO_TEXT.test(name));
  return names.length > 1 && distinct.size === names.length && areClear;
}

/** The type and values of a column; undefined where its type is not obvious. */
function columnOf(cells: readonly string[]): { readonly type: ArrowType; readonly values: unknown[] } | undefined {
  if (cells.some((cell) => CLEAR_TEXT.test(cell) && !NO_TEXT.test(cell))) return typed('utf8', cells, (cell) => cell);
  const filled = cells.filter((cell) => cell !== '');
  if (filled.length === 0) return undefined;
  if (filled.every((cell) => WHOLE_NUMBER.test(cell))) return typed('int64', cells, BigInt);
  const isNumber = filled.every((cell) => SHORT_NUMBER.test(cell) || DECIMAL.test(cell));
  return isNumber ? typed('float64', cells, Number) : undefined;
}

function typed(type: ArrowType, cells: readonly string[], valueOf: (cell: string) => unknown) {
  return { type, values: cells.map((cell) => (cell === '' ? null : valueOf(cell))) };
}
