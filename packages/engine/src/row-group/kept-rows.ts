import { type Batch, type CellValue, DataDesignerError, type Row, type RowGroup } from '@data-designer/core';
import { readBatch, RECORD_REMEDY, refuseChangedKept } from '@data-designer/dataset';
import type { FilledGroup } from './fill-columns.ts';
import type { GroupAgain } from './group-context.ts';

/** The rows of a group as they are written, and their side tables in order. */
export interface WrittenRows {
  readonly main: Batch;
  readonly sideTables: readonly Batch[];
}

/** Where the rows of a group are in the run. */
interface RowPlaces {
  readonly group: RowGroup;
  readonly filled: Pick<FilledGroup, 'positions'>;
  /** The indexes of the made rows, ascending. */
  readonly indexes: readonly number[];
}

/**
 * The rows that were made again, among the rows that the group keeps, in the order of their indexes. Throws
 * `dataset/damaged` where the kept rows cannot be read or are not as many as recorded.
 */
export async function amongKept(
  { main, sideTables }: WrittenRows,
  { rows: again, kept, files, sums = [] }: GroupAgain,
  { group: { firstRow }, filled, indexes }: RowPlaces,
): Promise<WrittenRows> {
  const isAgain = new Set(again);
  const standing = Array.from(filled.positions, (position) => firstRow + position).filter((row) => !isAgain.has(row));
  if (standing.length !== kept) throw otherRows(files.rows, { expected: standing.length, found: kept });
  const order = [...standing, ...indexes].map((index, at) => ({ index, at })).toSorted((a, b) => a.index - b.index);
  const places = order.map(({ at }) => at);
  const join = async (batch: Batch, path: string, position: number) => {
    await refuseChangedKept(path, sums[position]);
    return joined(batch, { path, kept, places });
  };
  return {
    main: await join(main, files.rows, 0),
    sideTables: await Promise.all(
      sideTables.map((batch, position) => join(batch, files.sideTables[position] ?? '', position + 1)),
    ),
  };
}

/** The kept rows of a file and those of a batch; `places` has for each row its position among both. */
async function joined(
  { fields, columns, rows }: Batch,
  { path, kept, places }: { readonly path: string; readonly kept: number; readonly places: readonly number[] },
): Promise<Batch> {
  const before: Row[] = await Array.fromAsync(readBatch(path));
  if (before.length !== kept) throw otherRows(path, { expected: kept, found: before.length });
  const valueOf = (name: string, place: number): CellValue =>
    (place < kept ? before[place]?.[name] : columns.get(name)?.[place - kept]) ?? null;
  const all = fields.map(({ name }) => [name, places.map((place) => valueOf(name, place))] as const);
  return { fields, columns: new Map(all), rows: kept + rows };
}

function otherRows(path: string, { expected, found }: { expected: number; found: number }): DataDesignerError {
  const reason = `it has ${found} rows, and ${expected} were expected`;
  return new DataDesignerError('dataset/damaged', { path, reason, remedy: RECORD_REMEDY });
}
