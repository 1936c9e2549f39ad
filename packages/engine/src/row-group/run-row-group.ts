import { type CellFailure, LostRowCount, type RowGroup } from '@data-designer/core';
import { fillColumns, type FilledGroup } from './fill-columns.ts';
import { isAwaited } from './awaited-group.ts';
import type { GroupAgain, ResumedGroup, RowGroupContext } from './group-context.ts';
import type { WrittenRows } from './kept-rows.ts';
import type { MadeGroup, MakeRowsOptions } from './make-rows.ts';
import type { PreparedPlan } from './prepare-plan.ts';
import type { RefusedRow } from './side-table.ts';
import type { RowGroupResult } from './row-group-result.ts';

/** Makes the rows of one group: the one function that does, in every executor. */
export async function runRowGroup(
  prepared: PreparedPlan,
  group: ResumedGroup,
  context: RowGroupContext,
): Promise<RowGroupResult> {
  const lost = new LostRowCount();
  const tables = await context.tables(group);
  const filled = fillColumns(prepared, group, { tables, lost, steps: context.steps });
  const processing = isProcessed(prepared) ? await import('./process-rows.ts') : undefined;
  await processing?.processFilled(prepared, filled, context);
  const {
    columns,
    rowIndexOf,
    images: written,
    ...made
  } = await makeRowsOf(prepared, filled, { group, context, lost });
  const rows = { columns, rows: made.rows, rowIndexOf, floats: prepared.floats };
  const { main, sideTables, refused } =
    context.isDryReplay || !processing
      ? { main: { fields: prepared.plan.fields, columns, rows: made.rows }, sideTables: [], refused: [] }
      : await processing.processRows(prepared, rows, context);
  const refusedRows = new Set(refused.map(({ rowIndex }) => rowIndex));
  const indexes = () => indexesOf(rows, refusedRows);
  const output = await writeRows({ main, sideTables }, context, { group, filled, indexes });
  releaseDrawnColumns(prepared, filled);
  const failures = [...made.failures, ...refused.map((one) => lostRow(one, lost))];
  const refusedImages = refused.flatMap(({ rowIndex }) => written.shownBy(rowIndex));
  const orphanedImages = [...made.orphanedImages, ...refusedImages.map(({ path }) => path)];
  const shown = written.shownWithout(refusedRows);
  const result = { ...made, failures, orphanedImages, group: group.index, rows: main.rows, lost: lost.list(), output };
  const whole = group.again && !context.isDryReplay ? withKept(result, group.again) : result;
  const images = [...(group.again?.images ?? []), ...shown];
  const isRead = !group.again && isAwaited(context.readers);
  return { ...whole, ...(images.length > 0 && { images }), ...(isRead && { rowIndexes: indexes() }) };
}

/** Whether processors change the rows of a plan, or make tables beside it. */
function isProcessed({ plan }: PreparedPlan): boolean {
  return plan.processors.length > 0 || (plan.dropped ?? []).length > 0;
}

/** The result with what the group keeps. */
function withKept<Made extends Pick<RowGroupResult, 'rows' | 'failures'>>(
  made: Made,
  { kept, failures }: GroupAgain,
): Made {
  return { ...made, rows: made.rows + kept, failures: [...failures, ...made.failures] };
}

/** The indexes in the run of the rows that processors have left. */
function indexesOf(
  { rows, rowIndexOf }: Pick<MadeGroup, 'rows' | 'rowIndexOf'>,
  refused: ReadonlySet<number>,
): number[] {
  return Array.from({ length: rows }, (_, position) => rowIndexOf(position)).filter((index) => !refused.has(index));
}

/** Writes the rows of a group, between the rows that it keeps. */
async function writeRows(
  made: WrittenRows,
  context: RowGroupContext,
  {
    group,
    filled,
    indexes,
  }: { readonly group: ResumedGroup; readonly filled: FilledGroup; readonly indexes: () => readonly number[] },
): Promise<RowGroupResult['output']> {
  if (!group.again || context.isDryReplay) return context.write(made.main, made.sideTables);
  const { amongKept } = await import('./kept-rows.ts');
  const { main, sideTables } = await amongKept(made, group.again, { group, filled, indexes: indexes() });
  return context.write(main, sideTables);
}

/** Counts a row that a processor cannot make; returns its entry of the failure log. */
function lostRow({ rowIndex: row, failure }: RefusedRow, lost: LostRowCount): CellFailure {
  const { code, message } = failure;
  lost.add({ column: '', code, message, rows: 1 });
  return { row, column: '', code, message, onFailure: 'drop_row', messages: [] };
}

/** Makes the cells that are made row by row; a plan of local columns alone loads no code for conversations. */
async function makeRowsOf(prepared: PreparedPlan, filled: FilledGroup, options: MakeRowsOptions): Promise<MadeGroup> {
  if (prepared.rowColumns.length === 0 && !options.group.again) return filledRows(options.group, filled);
  const { makeRows } = await import('./make-rows.ts');
  return makeRows(prepared, filled, options);
}

const NO_IMAGES: MadeGroup['images'] = { shownBy: () => [], shownWithout: () => [] };

function filledRows({ firstRow }: RowGroup, { columns, positions }: FilledGroup): MadeGroup {
  const rowIndexOf = (position: number) => firstRow + (positions[position] ?? 0);
  const nothing = { unfinished: 0, cells: {}, usage: {}, tools: {}, failures: [], orphanedImages: [] };
  return { ...nothing, columns, rows: positions.length, rowIndexOf, images: NO_IMAGES };
}

/** Frees the memory of drawn numbers at once, before the collector does. Seed columns may belong to a table that is read again. */
function releaseDrawnColumns({ local }: PreparedPlan, { columns }: FilledGroup): void {
  for (const { column, isDrawn } of local) {
    if (!isDrawn) continue;
    for (const { name } of column.writes) {
      const values = columns.get(name);
      if (ArrayBuffer.isView(values) && values.buffer instanceof ArrayBuffer) values.buffer.transfer(0);
    }
  }
}
