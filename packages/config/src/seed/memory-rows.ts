import { isMapping } from '../spelling.ts';

type Row = Readonly<Record<string, unknown>>;

/** A table of Apache Arrow, by what is asked of it: any version and copy of the library will do. */
export interface ArrowTableLike {
  readonly schema: { readonly fields: readonly { readonly name: string }[] };
  readonly numRows: number;
  readonly batches: readonly object[];
}

/** Rows of the calling program: all at hand, coming one after the other, or a table of Apache Arrow. */
export type MemoryRows = readonly Row[] | Iterable<Row> | AsyncIterable<Row> | ArrowTableLike;

/** Whether a thing can be rows; what comes one after the other is not looked at. */
export function areRows(value: unknown): value is MemoryRows {
  if (Array.isArray(value)) return value.every(isMapping);
  return isArrowTable(value) || isStream(value);
}

/** Whether a thing is a table of Apache Arrow. */
export function isArrowTable(value: unknown): value is ArrowTableLike {
  if (typeof value !== 'object' || value === null) return false;
  const { schema, numRows, batches } = value as Partial<ArrowTableLike>;
  return typeof numRows === 'number' && Array.isArray(batches) && Array.isArray(schema?.fields);
}

function isStream(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

/** The columns of rows in memory; undefined where they would have to be read for it, which can be done once only. */
export function memoryColumns(rows: MemoryRows): readonly string[] | undefined {
  if (isArrowTable(rows)) return rows.schema.fields.map(({ name }) => name);
  if (!Array.isArray(rows)) return undefined;
  const names = new Set<string>();
  for (const row of rows as readonly Row[]) for (const name of Object.keys(row)) names.add(name);
  return [...names];
}
