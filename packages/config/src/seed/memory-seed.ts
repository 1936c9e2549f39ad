import { type TypeFunction, valueType } from '@data-designer/core';
import { z } from 'zod';
import { isMapping, type Mapping } from '../spelling.ts';
import { defineSeedKind } from './seed-kind.ts';

/** An Apache Arrow table of any version and copy of the library. */
export interface ArrowTableLike {
  readonly schema: { readonly fields: readonly { readonly name: string }[] };
  readonly numRows: number;
  readonly batches: readonly object[];
}

/** Rows of the calling program: an array, an iterable or an Apache Arrow table. */
export type MemoryRows = readonly Mapping[] | Iterable<Mapping> | AsyncIterable<Mapping> | ArrowTableLike;

/** Rows of the calling program. Arrow tables do not type their rows. */
export interface MemoryRow extends TypeFunction {
  readonly type: this['config'] extends { readonly rows: infer Rows } ? RowIn<Rows> : Record<string, unknown>;
}

type RowIn<Rows> = Rows extends ArrowTableLike
  ? Record<string, unknown>
  : Rows extends Iterable<infer Row> | AsyncIterable<infer Row>
    ? { -readonly [Key in keyof Row]: Widened<Row[Key]> }
    : Record<string, unknown>;

/** The type of a literal value. Bytes become Base64 text. */
type Widened<Value> = Value extends string | Uint8Array
  ? string
  : Value extends number
    ? number
    : Value extends boolean
      ? boolean
      : WithText<Value>;

/** The type of a value whose bytes, at any depth, are Base64 text. */
type WithText<Value> = Value extends Uint8Array
  ? string
  : Value extends readonly unknown[] | Readonly<Record<string, unknown>>
    ? { [Key in keyof Value]: WithText<Value[Key]> }
    : Value;

const rowsSchema = z
  .custom<MemoryRows>(areRows, { error: 'expected rows: a list or a generator of mappings, or an Arrow table' })
  .optional()
  .describe('The rows: objects in an array or an iterable, or an Apache Arrow table.');

/** Rows of the calling program. */
export const memorySeed = defineSeedKind({
  schema: z
    .object({
      seedType: z.literal('df').describe('Rows in memory, from the TypeScript program.'),
      // Optional to zod, so that the refinement below words the error for missing rows.
      rows: rowsSchema as z.ZodType<MemoryRows, MemoryRows>,
    })
    .refine((source: { readonly rows?: unknown }) => source.rows !== undefined, {
      error: "rows of the seed type 'df' come from a program: from a file, name a table with 'local'",
    }),
  row: valueType<MemoryRow>(),
  inMemory: 'rows',
  columns: ({ rows }) => columnsOf(rows),
});

/** Whether a value can be rows; iterables are not read. */
export function areRows(value: unknown): value is MemoryRows {
  if (Array.isArray(value)) return value.every(isMapping);
  return isArrowTable(value) || isStream(value);
}

/** Whether a value is an Apache Arrow table. */
export function isArrowTable(value: unknown): value is ArrowTableLike {
  if (typeof value !== 'object' || value === null) return false;
  const { schema, numRows, batches }: { schema?: { fields?: unknown }; numRows?: unknown; batches?: unknown } = value;
  return typeof numRows === 'number' && Array.isArray(batches) && Array.isArray(schema?.fields);
}

function isStream(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

/** The columns of rows in memory; undefined for iterables, which can be read only once. */
function columnsOf(rows: MemoryRows): readonly string[] | undefined {
  if (isArrowTable(rows)) return rows.schema.fields.map(({ name }) => name);
  if (!isList(rows)) return undefined;
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  return [...names];
}

function isList(rows: MemoryRows): rows is readonly Mapping[] {
  return Array.isArray(rows);
}
