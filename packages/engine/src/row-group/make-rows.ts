import {
  type CellFailure,
  type CellValue,
  type ColumnData,
  DataDesignerError,
  type Gateway,
  isFailure,
  isRecorded,
  OPEN_ROWS,
  type OutcomeKeeper,
  type PlannedColumn,
  Shortfall,
  type WireFailure,
  type Written,
} from '@data-designer/core';
import { MCPRegistry } from '@data-designer/mcp';
import { ModelRegistry } from '@data-designer/models';
import { mostOpenRows } from '@data-designer/gateway/worker';
import type { Functions } from '../functions/functions.ts';
import { Barrier } from './barrier.ts';
import { boxed } from './boxed.ts';
import { cellFailureOf } from './cell-failure.ts';
import { endsRun, leavesRows } from './failure-scope.ts';
import { KeptPictures } from './written-images.ts';
import { makeCell } from './make-cell.ts';
import { openRows } from './open-rows.ts';
import { type FilledGroup, picked } from './fill-columns.ts';
import { GroupCount, type GroupProgress, type GroupWatch } from './group-progress.ts';
import type { FlowColumn, PreparedPlan } from './prepare-plan.ts';
import { type CellParts, RowCell } from './row-cell.ts';
import type { ResumedGroup } from './resumed-group.ts';
import { flowRow } from './row-dataflow.ts';
import { leavesOut } from './skip-rules.ts';
import type { SoloCells } from './serial-cells.ts';
import type { LostRowCount, RowGroupResult } from './row-group-result.ts';

/** A row as it fills: cells by column name. */
type OpenRow = Record<string, CellValue>;

/** A row that is being made, and where in the run it stands. */
interface OpenedRow {
  readonly row: OpenRow;
  readonly rowIndex: number;
}

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
  /** Makes its cells one at a time, where that is wanted. */
  readonly solo?: SoloCells | undefined;
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
  { group, gateway, signal, folder, mediaRoots, lost, functions, watch, solo }: FlowParts,
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
    total: positions.length,
    filled: filledColumns(prepared, columns),
    made: madeColumns(prepared, positions.length),
    barriers: new Map(),
    kept: new Set(group.keptCalls),
    failedCells: new Map(group.failedCells?.map((cell) => [cellKey(cell), cell.failure])),
    solo,
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
  /** Rows of the group that are to be made. */
  readonly total: number;
  /** What each row begins with. */
  readonly filled: readonly FilledColumn[];
  /** What rows made, by column, at their positions; a row itself is gone once it is over. */
  readonly made: ReadonlyMap<string, CellValue[]>;
  readonly barriers: Map<FlowColumn, Barrier>;
  /** Calls of cells that must not fail whose answers were in the journal when the run began. */
  readonly kept: ReadonlySet<string>;
  /** The cells that are not made: each fails as an earlier attempt recorded. */
  readonly failedCells: ReadonlyMap<string, WireFailure>;
  readonly solo: SoloCells | undefined;
  /** The failure that every row would meet: those that are finished stand, the others are left as they are. */
  end?: DataDesignerError;
  onEnd?: () => void;
}

/** A column that was filled before any row opened. */
interface FilledColumn {
  readonly name: string;
  readonly values: ColumnData;
  readonly isFloat: boolean;
}

function filledColumns({ floats }: PreparedPlan, columns: ReadonlyMap<string, ColumnData>): readonly FilledColumn[] {
  return [...columns].map(([name, values]) => ({ name, values, isFloat: floats.has(name) }));
}

function madeColumns({ flowing }: PreparedPlan, rows: number): ReadonlyMap<string, CellValue[]> {
  const names = flowing.flatMap(({ column }) => column.writes.map(({ name }) => name));
  return new Map(names.map((name) => [name, Array.from<CellValue>({ length: rows }).fill(null)]));
}

/** A row as an object, for the cells that read it. */
function rowAt({ filled }: GroupWork, position: number): OpenRow {
  const row: OpenRow = {};
  for (const { name, values, isFloat } of filled) row[name] = boxed(values[position] as CellValue, isFloat);
  return row;
}

/** Puts what a row made into the columns. */
function keepRow({ made }: GroupWork, position: number, row: OpenRow): void {
  for (const [name, cells] of made) cells[position] = row[name] as CellValue;
}

/** Makes all rows, oldest first; gives the positions of those that were made. */
async function makeRows(work: GroupWork): Promise<number[]> {
  const { prepared, total, solo } = work;
  for (const flowing of prepared.flowing) {
    if (!('group' in flowing.make)) continue;
    const { group } = flowing.make;
    const make: typeof group = solo ? (cells) => solo.make(undefined, () => group(cells)) : group;
    work.barriers.set(flowing, new Barrier(total, make));
  }
  const alive: number[] = [];
  // Where rows wait for each other, all of them must be open; else as many as keep the resources busy.
  const window = work.barriers.size > 0 ? total : solo ? 1 : rowWindow(prepared);
  await openRows(total, window, async (position) => {
    if (solo?.row !== undefined && solo.row !== work.rowIndexes[position]) {
      for (const barrier of work.barriers.values()) barrier.leave();
      return;
    }
    const row = rowAt(work, position);
    const isMade = await flowOne(work, { row, rowIndex: work.rowIndexes[position] as number });
    if (isMade) {
      alive.push(position);
      keepRow(work, position, row);
    }
    work.cells.pictures.settle(work.rowIndexes[position] as number, isMade ? row : undefined);
  });
  return alive.toSorted((a, b) => a - b);
}

/** As many as the gateway would ever admit of one group; which rows are open, over all groups, is its business. */
function rowWindow({ plan }: PreparedPlan): number {
  return Math.max(1, mostOpenRows(plan));
}

/** Whether a row needs a place to be open: not where nothing is asked of the outside, nor where rows wait for each other. */
function needsPlace({ prepared, barriers }: GroupWork): boolean {
  return prepared.plan.resources.length > 0 && barriers.size === 0;
}

/** Makes one row; false if it is lost or left unfinished. A failure that ends the run is thrown. */
async function flowOne(work: GroupWork, { row, rowIndex }: OpenedRow): Promise<boolean> {
  const { prepared, lost, count, gateway } = work;
  const arrived = work.barriers.size > 0 ? new Set<FlowColumn>() : undefined;
  let leftOut: Set<number> | undefined;
  let failing = '';
  const stand = (index: number, { column }: FlowColumn, written: Written): true => {
    writeCells({ row, column, floats: prepared.floats }, written);
    count.addMade(index);
    return true;
  };
  const fall = (index: number, { column }: FlowColumn, thrown: unknown): boolean => {
    if (isFailure(thrown, 'journal/ends')) return false;
    if (goesOn(work, { row, rowIndex, index, column }, thrown)) return true;
    failing ||= column.name;
    throw thrown instanceof Shortfall ? thrown.failure : thrown;
  };
  const fail = (index: number, flowing: FlowColumn, thrown: unknown): boolean | Promise<boolean> => {
    const at = { row: rowIndex, column: flowing.column.name };
    const failure = work.failedCells.has(cellKey(at)) ? undefined : failureToRecord(work, flowing, thrown);
    if (!failure) return fall(index, flowing, thrown);
    return Promise.resolve(work.cells.keeper?.failCell({ ...at, failure })).then(
      () => fall(index, flowing, thrown),
      (unrecorded: unknown) => fall(index, flowing, unrecorded),
    );
  };
  const make = (index: number): boolean | Promise<boolean> => {
    const flowing = prepared.flowing[index] as FlowColumn;
    try {
      const isLeftOut = flowing.skip && leavesOut(flowing.skip, row, (leftOut ??= new Set()));
      arrived?.add(flowing);
      if (isLeftOut) leftOut?.add(index);
      const written = isLeftOut ? leaveOut(work, flowing) : startCell(work, flowing, { row, rowIndex });
      if (Array.isArray(written)) return stand(index, flowing, written);
      const later = Promise.resolve(written as Written | Promise<Written>);
      return later.then((one) => stand(index, flowing, one)).catch((thrown: unknown) => fail(index, flowing, thrown));
    } catch (thrown) {
      return fail(index, flowing, thrown);
    }
  };
  try {
    if (needsPlace(work)) await gateway.admit(OPEN_ROWS, { row: rowIndex, column: '', call: 0 });
    const flowed = flowRow(prepared.flow, make);
    const isWhole = typeof flowed === 'boolean' ? flowed : await flowed;
    if (!isWhole) return leaveRow(work, new DataDesignerError('journal/ends', {}));
    count.rows++;
    return true;
  } catch (thrown) {
    const failure = DataDesignerError.fromUnknown(thrown);
    if (failure.code === 'run/over') return leaveRow(work, failure);
    if (endsRun(failure)) return endGroup(work, failure);
    count.lost++;
    lost.add({ column: failing, code: failure.code, message: failure.message, rows: 1 });
    for (const [flowing, barrier] of work.barriers) if (!arrived?.has(flowing)) barrier.leave();
    return false;
  } finally {
    if (prepared.plan.resources.length > 0) giveBack(work, rowIndex);
  }
}

/** Gives back what a row holds; where something is made for it together with other rows, which must not fail by that, after it. */
function giveBack({ gateway, barriers }: GroupWork, rowIndex: number): void {
  const together = [...barriers.values()].flatMap((barrier) => barrier.overFor(rowIndex) ?? []);
  if (together.length === 0) return gateway.cancel(rowIndex);
  void Promise.all(together).then(() => gateway.cancel(rowIndex));
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
  { cells, barriers, kept, failedCells, solo }: GroupWork,
  flowing: FlowColumn,
  { row, rowIndex }: OpenedRow,
): Written | Promise<Written> | undefined {
  const { column, make, random } = flowing;
  const open = (firstCall = 0) => new RowCell({ row, rowIndex, column: column.name, random, firstCall }, cells);
  if (!('cell' in make)) return barriers.get(flowing)?.arrive(open());
  const at = { row: rowIndex, column: column.name };
  const failure = failedCells.size > 0 ? failedCells.get(cellKey(at)) : undefined;
  if (failure) throw DataDesignerError.fromWire(failure);
  const start = () => (kept.size === 0 ? make.cell(open()) : makeCell({ make: make.cell, open, kept }));
  return solo ? solo.make(at, start) : start();
}

function cellKey({ row, column }: { readonly row: number; readonly column: string }): string {
  return `${row}/${column}`;
}

/** The failure of a cell of a row by itself that is to stand in the journal first; a plan that asks nobody has no journal. */
function failureToRecord({ prepared }: GroupWork, { make }: FlowColumn, thrown: unknown): WireFailure | undefined {
  const failure = thrown instanceof Shortfall ? thrown.failure : thrown;
  if (!(failure instanceof DataDesignerError) || !isRecorded(failure.code)) return undefined;
  return 'cell' in make && prepared.plan.resources.length > 0 ? failure.toWire() : undefined;
}

/** A cell that failed, and the row that it stands in. */
interface FailedCell extends OpenedRow {
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

/** Puts the columns that rows made beside the others; of all, those of the rows that were made. */
function gather(
  { prepared, total, made }: GroupWork,
  alive: readonly number[],
  columns: Map<string, ColumnData>,
): void {
  const isWhole = alive.length === total;
  for (const [name, cells] of made) columns.set(name, isWhole ? cells : picked(cells, alive));
  if (isWhole) return;
  for (const { column } of prepared.local) {
    for (const { name } of column.writes) columns.set(name, picked(columns.get(name) as ColumnData, alive));
  }
}
