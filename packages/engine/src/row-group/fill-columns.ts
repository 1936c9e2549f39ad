import type { ColumnData, GroupColumns, RowRange } from '@data-designer/core';
import type { PreparedPlan } from './prepare-plan.ts';
import type { LostRowCount } from './row-group-result.ts';

/** The local columns of a row group, and the rows of the group that have a value in each of them. */
export interface FilledGroup {
  /** Values of the rows that are left, by column. */
  readonly columns: Map<string, ColumnData>;
  /** The positions in the group of the rows that are left, in order. */
  readonly positions: Int32Array;
}

/** Fills the local columns of a range, each from those before it; rows that one of them cannot fill are counted as lost. */
export function fillColumns(
  { local, floats }: PreparedPlan,
  range: RowRange,
  { tables, lost }: { readonly tables: GroupColumns['tables']; readonly lost: LostRowCount },
): FilledGroup {
  const written = new Map<string, ColumnData>();
  const times = new Map<string, Float64Array>();
  const gone = new Set<number>();
  for (const { column, fill, random } of local) {
    const filled = fill(range, random.copy(), { written, floats, times, tables });
    column.writes.forEach(({ name }, index) => written.set(name, filled.written[index] as ColumnData));
    if (filled.times) times.set(column.name, filled.times);
    for (const { positions, failure } of filled.unfilled ?? []) {
      const news = positions.filter((position: number) => !gone.has(position));
      if (news.length === 0) continue;
      for (const position of news) gone.add(position);
      lost.add({ column: column.name, code: failure.code, message: failure.message, rows: news.length });
    }
  }
  return leaveOut(written, range.rows, gone);
}

function leaveOut(columns: Map<string, ColumnData>, rows: number, gone: ReadonlySet<number>): FilledGroup {
  const positions = new Int32Array(rows - gone.size);
  let left = 0;
  for (let position = 0; position < rows; position++) if (!gone.has(position)) positions[left++] = position;
  if (gone.size > 0) for (const [name, values] of columns) columns.set(name, picked(values, positions));
  return { columns, positions };
}

/** The values at some positions, in a column of the same kind. */
export function picked(values: ColumnData, positions: Int32Array | readonly number[]): ColumnData {
  if (!ArrayBuffer.isView(values)) return Array.from(positions, (position) => values[position] ?? null);
  const kept = new (values.constructor as new (length: number) => Float64Array)(positions.length);
  for (let index = 0; index < positions.length; index++) {
    kept[index] = (values as Float64Array)[positions[index] as number] as number;
  }
  return kept;
}
