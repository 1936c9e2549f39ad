import {
  type ColumnData,
  DataDesignerError,
  type CellValue,
  type Gateway,
  isFailure,
  OPEN_ROWS,
  openRowsFor,
  type OutcomeKeeper,
  type PlannedColumn,
  Shortfall,
  type Written,
} from '@data-designer/core';
import { MCPRegistry } from '@data-designer/mcp';
import { ModelRegistry } from '@data-designer/models';
import type { Functions } from '../functions/functions.ts';
import { Barrier } from './barrier.ts';
import { boxed } from './boxed.ts';
import { type CellFailure, cellFailureOf } from './cell-failure.ts';
import { endsRun, leavesRows } from './ends-run.ts';
import { KeptPictures } from './kept-pictures.ts';
import { makeCell } from './make-cell.ts';
import { openRows } from './open-rows.ts';
import { type FilledGroup, picked } from './fill-columns.ts';
import { GroupCount, type GroupProgress, type GroupWatch } from './group-count.ts';
import type { FlowColumn, PreparedPlan } from './prepare-plan.ts';
import { type CellParts, RowCell } from './row-cell.ts';
import type { ResumedGroup } from './resumed-group.ts';
import { flowRow } from './row-flow.ts';
import { leavesOut } from './skip-rules.ts';
import type { LostRowCount, RowGroupResult } from './row-group-result.ts';

/** A row as it fills: cells by column name. */
type OpenRow = Record<string, CellValue>;

/** What the rows of a group flow with. */
export interface FlowParts {
  readonly group: ResumedGroup;
  readonly gateway: Gateway & Partial<OutcomeKeeper>;
  readonly signal: AbortSignal;
  /** The dataset's folder, for pictures and other files; absent in a preview. */
  readonly folder?: string | undefined;
  /** Further folders whose files cells may name. */
  readonly mediaRoots?: readonly string[] | undefined;
  readonly lost: LostRowCount;
  /** The functions that its cells may call; none where it is absent. */
  readonly functions?: Functions | undefined;
  /** Has told how far the group has come, until what is given back is disposed of. */
  readonly watch?: (look: () => GroupProgress) => GroupWatch;
}

/** The columns of a group once its rows have flowed: those of the rows that were made. */
export interface FlowedGroup extends Pick<
  RowGroupResult,
  'rows' | 'unfinished' | 'ends' | 'cells' | 'usage' | 'tools' | 'failures' | 'orphans'
> {
  readonly columns: ReadonlyMap<string, ColumnData>;
  /** Where in the run the row at a position stands. */
  readonly rowIndexOf: (position: number) => number;
}

/** Makes what is made row by row, over the columns that were filled; each row is a dataflow of its own. */
export async function flowRows(
  prepared: PreparedPlan,
  { columns, positions }: FilledGroup,
  { group, gateway, signal, folder, mediaRoots, lost, functions, watch }: FlowParts,
): Promise<FlowedGroup> {
  const { plan } = prepared;
  const models = new ModelRegistry(plan.models, gateway, {
    maxCorrectionSteps: plan.maxConversationCorrectionSteps,
    maxConversationRestarts: plan.maxConversationRestarts,
  });
  const tools = new MCPRegistry(plan.tools, gateway);
  const work: GroupWork = {
    prepared,
    rowIndexes: Float64Array.from(positions, (position) => group.firstRow + position),
    lost,
    count: new GroupCount(prepared.flowing.map(({ column }) => column.name)),
    gateway,
    failures: [],
    cells: {
      models,
      tools,
      gateway,
      keeper: gateway.keep && (gateway as OutcomeKeeper),
      functions,
      signal,
      folder,
      mediaRoots,
      pictures: new KeptPictures(),
    },
    open: openingRows(prepared, positions.length, columns),
    barriers: new Map(),
    kept: new Set(group.keptCalls),
  };
  const { count, failures } = work;
  const took = () => ({ cells: count.cells(), usage: models.usage(), tools: tools.counts(), ends: work.end?.toWire() });
  const told = () => ({ group: group.index, rows: count.rows, lost: count.lost, reasons: lost.list(), ...took() });
  using watched = watch?.(told);
  work.onEnd = () => watched?.tell();
  const alive = await makeRows(work);
  gather(work, alive, columns);
  const { orphans } = work.cells.pictures;
  const rowIndexOf = (position: number) => work.rowIndexes[alive[position] as number] as number;
  return { columns, rows: alive.length, rowIndexOf, unfinished: count.unfinished, failures, orphans, ...took() };
}

interface GroupWork {
  readonly prepared: PreparedPlan;
  /** Where in the run each open row stands. */
  readonly rowIndexes: Float64Array;
  readonly lost: LostRowCount;
  readonly count: GroupCount;
  readonly failures: CellFailure[];
  readonly gateway: Gateway;
  readonly cells: CellParts & { readonly pictures: KeptPictures };
  readonly open: readonly OpenRow[];
  readonly barriers: Map<FlowColumn, Barrier>;
  /** Calls of cells that must not fail whose answers were in the journal when the run began. */
  readonly kept: ReadonlySet<string>;
  /** The failure that every row would meet: those that are finished stand, the others are left as they are. */
  end?: DataDesignerError;
  onEnd?: () => void;
}

/** Rows as objects, for the cells that read them. */
function openingRows(
  { floats }: PreparedPlan,
  rows: number,
  columns: ReadonlyMap<string, ColumnData>,
): readonly OpenRow[] {
  const open: OpenRow[] = Array.from({ length: rows }, () => ({}));
  for (const [name, values] of columns) {
    const isFloat = floats.has(name);
    open.forEach((row, position) => {
      row[name] = boxed(values[position] as CellValue, isFloat);
    });
  }
  return open;
}

/** Makes all rows, oldest first; gives the positions of those that were made. */
async function makeRows(work: GroupWork): Promise<number[]> {
  const { prepared, open } = work;
  for (const flowing of prepared.flowing) {
    if ('group' in flowing.make) work.barriers.set(flowing, new Barrier(open.length, flowing.make.group));
  }
  const alive: number[] = [];
  // Where rows wait for each other, all of them must be open; else as many as keep the resources busy.
  const window = work.barriers.size > 0 ? open.length : rowWindow(prepared);
  await openRows(open.length, window, async (position) => {
    const isMade = await flowOne(work, position);
    if (isMade) alive.push(position);
    work.cells.pictures.settle(work.rowIndexes[position] as number, isMade ? open[position] : undefined);
  });
  return alive.toSorted((a, b) => a - b);
}

/** As many as the gateway would ever admit of one group; which rows are open, over all groups, is its business. */
function rowWindow({ plan }: PreparedPlan): number {
  return Math.max(1, openRowsFor(plan.resources.reduce((sum, { limit }) => sum + limit, 0)));
}

/** Waits for a place among the open rows. Not needed where nothing is asked of the outside, nor where rows wait for each other. */
async function openRow({ prepared, gateway, barriers }: GroupWork, row: number): Promise<void> {
  if (prepared.plan.resources.length === 0 || barriers.size > 0) return;
  await gateway.admit(OPEN_ROWS, { row, column: '', call: 0 });
}

/** Makes one row; false if it is lost or left unfinished. A failure that ends the run is thrown. */
async function flowOne(work: GroupWork, position: number): Promise<boolean> {
  const { prepared, lost, count, gateway } = work;
  const row = work.open[position] as OpenRow;
  const rowIndex = work.rowIndexes[position] as number;
  const arrived = new Set<FlowColumn>();
  const leftOut = new Set<number>();
  let failing = '';
  try {
    await openRow(work, rowIndex);
    const isWhole = await flowRow(prepared.flow, async (index) => {
      const flowing = prepared.flowing[index] as FlowColumn;
      const { column } = flowing;
      try {
        const isLeftOut = flowing.skip && leavesOut(flowing.skip, row, leftOut);
        arrived.add(flowing);
        if (isLeftOut) leftOut.add(index);
        const written = isLeftOut ? leaveOut(work, flowing) : startCell(work, flowing, { row, rowIndex });
        writeCells({ row, column, floats: prepared.floats }, (await written) as Written);
        count.addMade(index);
      } catch (thrown) {
        if (isFailure(thrown, 'journal/ends')) return false;
        if (goesOn(work, { row, rowIndex, index, column }, thrown)) return true;
        failing ||= column.name;
        throw thrown instanceof Shortfall ? thrown.failure : thrown;
      }
      return true;
    });
    if (!isWhole) return leaveRow(work, new DataDesignerError('journal/ends', {}));
    count.rows++;
    return true;
  } catch (thrown) {
    const failure = DataDesignerError.fromUnknown(thrown);
    if (failure.code === 'run/over') return leaveRow(work, failure);
    if (endsRun(failure)) return endGroup(work, failure);
    count.lost++;
    lost.add({ column: failing, code: failure.code, message: failure.message, rows: 1 });
    for (const [flowing, barrier] of work.barriers) if (!arrived.has(flowing)) barrier.leave();
    return false;
  } finally {
    if (prepared.plan.resources.length > 0) gateway.cancel(rowIndex);
  }
}

/** What stands where a cell is left out; rows that wait for it wait no longer. */
function leaveOut({ barriers }: GroupWork, flowing: FlowColumn): Written | undefined {
  barriers.get(flowing)?.leave();
  return flowing.skip?.written;
}

/**
 * Leaves a row as it is, at the end of the run or where the journal ends; rows that wait for all others are left with it.
 * Gives false: it is not made.
 */
function leaveRow({ count, barriers }: GroupWork, failure: DataDesignerError): false {
  count.unfinished++;
  for (const barrier of barriers.values()) barrier.abandon(failure);
  return false;
}

/**
 * Ends a group with what every row would meet: whoever can end the run is told at once, and says to the other rows that
 * nothing more is asked. Throws where not even the finished ones can be kept.
 */
function endGroup(work: GroupWork, failure: DataDesignerError): false {
  if (!leavesRows(failure)) throw failure;
  if (!work.end) {
    work.end = failure;
    work.onEnd?.();
  }
  return leaveRow(work, new DataDesignerError('run/over', { reason: failure.message }));
}

/** Makes one cell of a row, for itself or together with those of the other rows. */
function startCell(
  { cells, barriers, kept }: GroupWork,
  flowing: FlowColumn,
  { row, rowIndex }: { readonly row: OpenRow; readonly rowIndex: number },
): Written | Promise<Written> | undefined {
  const { column, make, random } = flowing;
  const open = (firstCall = 0) => new RowCell({ row, rowIndex, column: column.name, random, firstCall }, cells);
  if (!('cell' in make)) return barriers.get(flowing)?.arrive(open());
  return kept.size === 0 ? make.cell(open()) : makeCell({ make: make.cell, open, kept });
}

/** A cell that failed, and the row that it stands in. */
interface FailedCell {
  readonly row: OpenRow;
  readonly rowIndex: number;
  /** Where its column stands among those made row by row. */
  readonly index: number;
  readonly column: PlannedColumn;
}

/**
 * Notes a failed cell, and does with its row what its column says: the row goes on with nulls (true), or is lost, or ends
 * the run by a throw.
 */
function goesOn(
  { prepared, failures, count }: GroupWork,
  { row, rowIndex, index, column }: FailedCell,
  thrown: unknown,
): boolean {
  const shortfall = thrown instanceof Shortfall ? thrown : undefined;
  const failure = shortfall?.failure ?? DataDesignerError.fromUnknown(thrown);
  if (endsRun(failure)) return false;
  count.addFailed(index, failure);
  const { onFailure = shortfall ? 'null' : 'drop_row' } = column.config;
  const failed = cellFailureOf(failure, { row: rowIndex, column: column.name, onFailure });
  failures.push(failed);
  if (onFailure === 'abort') {
    const { message: reason, ...cell } = failed;
    throw new DataDesignerError('run/cell-failed', { ...cell, reason });
  }
  if (onFailure === 'drop_row') return false;
  const written =
    shortfall && column.config.onFailure === undefined ? shortfall.written : column.writes.map(() => null);
  writeCells({ row, column, floats: prepared.floats }, written);
  return true;
}

function writeCells(at: { row: OpenRow; column: PlannedColumn; floats: ReadonlySet<string> }, written: Written): void {
  at.column.writes.forEach(({ name }, index) => {
    at.row[name] = boxed(written[index] as CellValue, at.floats.has(name));
  });
}

/** Puts the surviving rows' cells into columns; local columns lose the rows that were lost. */
function gather({ prepared, open }: GroupWork, alive: readonly number[], columns: Map<string, ColumnData>): void {
  const survivors = alive.map((position) => open[position] as OpenRow);
  for (const { column } of prepared.flowing) {
    for (const { name } of column.writes) {
      const cells = survivors.map((row) => row[name] as CellValue);
      columns.set(name, cells);
    }
  }
  if (alive.length === open.length) return;
  for (const { column } of prepared.local) {
    for (const { name } of column.writes) columns.set(name, picked(columns.get(name) as ColumnData, alive));
  }
}
