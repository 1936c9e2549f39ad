import type { ColumnData, GroupColumns, RowRange, LostRowCount } from '@data-designer/core';
import { valuesAt } from './column-values.ts';
import type { PreparedPlan } from './prepare-plan.ts';
import type { TaskSteps } from './task-steps.ts';

/** The local columns of a row group, and the rows with a value in every one of them. */
export interface FilledGroup {
  /** Values of the remaining rows, by column. */
  readonly columns: Map<string, ColumnData>;
  /** The positions in the group of the remaining rows, in order. */
  readonly positions: Int32Array;
}

/** The seed tables of a range, where lost rows are counted, and who takes notes. */
interface FillOptions {
  readonly tables: GroupColumns['tables'];
  readonly lost: LostRowCount;
  readonly steps?: TaskSteps | undefined;
}

/** Fills the local columns of a range in order; rows that a column cannot fill are counted as lost. */
export function fillColumns(
  { local, floats }: PreparedPlan,
  range: RowRange,
  { tables, lost, steps }: FillOptions,
): FilledGroup {
  const written = new Map<string, ColumnData>();
  const times = new Map<string, Float64Array>();
  const lostPositions = new Set<number>();
  for (const { column, fill, random } of local) {
    const task = { column: column.name, row: null };
    steps?.note('selected', task);
    const filled = fill(range, random.copy(), { written, floats, times, tables });
    column.writes.forEach(({ name }, index) => written.set(name, filled.written[index] ?? []));
    const error = filled.unfilled?.[0]?.failure.code;
    steps?.note('task_completed', task, error === undefined ? {} : { error });
    if (filled.times) times.set(column.name, filled.times);
    for (const { positions, failure } of filled.unfilled ?? []) {
      const news = positions.filter((position: number) => !lostPositions.has(position));
      if (news.length === 0) continue;
      for (const position of news) lostPositions.add(position);
      lost.add({ column: column.name, code: failure.code, message: failure.message, rows: news.length });
    }
  }
  return withoutRows(written, range.rows, lostPositions);
}

function withoutRows(columns: Map<string, ColumnData>, rows: number, lostPositions: ReadonlySet<number>): FilledGroup {
  const positions = new Int32Array(rows - lostPositions.size);
  let left = 0;
  for (let position = 0; position < rows; position++) if (!lostPositions.has(position)) positions[left++] = position;
  if (lostPositions.size > 0) for (const [name, values] of columns) columns.set(name, valuesAt(values, positions));
  return { columns, positions };
}
