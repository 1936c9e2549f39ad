import type { Batch, Gateway, GroupColumns, OutcomeKeeper, RowRange } from '@data-designer/core';
import type { Functions } from '../functions/functions.ts';
import { fillColumns, type FilledGroup } from './fill-columns.ts';
import type { FlowedGroup, FlowParts } from './make-rows.ts';
import type { GroupProgress, GroupWatch } from './group-progress.ts';
import type { PreparedPlan } from './prepare-plan.ts';
import { processFilled, processRows } from './process-rows.ts';
import type { ResumedGroup } from './resumed-group.ts';
import { LostRowCount, type RowGroupResult } from './row-group-result.ts';
import type { SoloCells } from './serial-cells.ts';

/** What a row group is made with, beside its plan. */
export interface RowGroupParts {
  readonly gateway: Gateway & Partial<OutcomeKeeper>;
  readonly signal: AbortSignal;
  /** The functions that its cells may call; none where it is absent. */
  readonly functions?: Functions | undefined;
  /** The dataset's folder, for pictures and other files; absent in a preview. */
  readonly folder?: string | undefined;
  /** Further folders whose files cells may name. */
  readonly mediaRoots?: readonly string[] | undefined;
  /** The rows of the plan's tables that stand beside the rows of a range: by table, by column. */
  readonly tables: (range: RowRange) => Promise<GroupColumns['tables']>;
  /** Has told how far the group has come, until what is given back is disposed of. */
  readonly watch?: (look: () => GroupProgress) => GroupWatch;
  /** Whether rows may come and go before they are written, as in a preview. */
  readonly mayChangeRows?: boolean | undefined;
  /** Whether it is only looked at what is asked: processors do nothing with the rows before they are written. */
  readonly isDryReplay?: boolean | undefined;
  /** Makes its cells one at a time, where that is wanted. */
  readonly solo?: SoloCells | undefined;
  /** Puts the finished rows, and the tables beside them, where they shall stand until the commit. */
  readonly write: (batch: Batch, beside: readonly Batch[]) => Promise<RowGroupResult['output']>;
}

/** Makes the rows of one group: the one function that does, wherever it runs. */
export async function runRowGroup(
  prepared: PreparedPlan,
  group: ResumedGroup,
  parts: RowGroupParts,
): Promise<RowGroupResult> {
  const lost = new LostRowCount();
  const tables = await parts.tables(group);
  const filled = fillColumns(prepared, group, { tables, lost });
  await processFilled(prepared, filled, parts);
  const { rows, columns, rowIndexOf, ...made } = await madeOf(prepared, filled, { ...parts, group, lost });
  const { plan, floats } = prepared;
  const { main, beside } = parts.isDryReplay
    ? { main: { fields: plan.fields, columns, rows }, beside: [] }
    : await processRows(prepared, { columns, rows, rowIndexOf, floats }, parts);
  const output = await parts.write(main, beside);
  release(prepared, filled);
  return { group: group.index, rows: main.rows, lost: lost.list(), ...made, output };
}

/** A plan of local columns alone has no use for conversations, and does not load them. */
async function madeOf(prepared: PreparedPlan, filled: FilledGroup, parts: FlowParts): Promise<FlowedGroup> {
  const { columns, positions } = filled;
  const nothing = { unfinished: 0, cells: {}, usage: {}, tools: {}, failures: [], orphans: [] };
  if (prepared.flowing.length === 0) {
    const rowIndexOf = (position: number) => parts.group.firstRow + (positions[position] as number);
    return { ...nothing, columns, rows: positions.length, rowIndexOf };
  }
  const { flowRows } = await import('./make-rows.ts');
  return flowRows(prepared, filled, parts);
}

/**
 * Gives the memory of drawn numbers back at once: the collector is slow to see how much stands behind so few objects.
 * Seed columns may belong to a table that is read again.
 */
function release({ local }: PreparedPlan, { columns }: FilledGroup): void {
  for (const { column, isDrawn } of local) {
    if (!isDrawn) continue;
    for (const { name } of column.writes) {
      const values = columns.get(name);
      if (ArrayBuffer.isView(values)) (values.buffer as ArrayBuffer).transfer(0);
    }
  }
}
