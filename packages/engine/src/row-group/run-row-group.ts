import {
  type ColumnData,
  DataDesignerError,
  Float,
  type CellValue,
  type FailureCode,
  type Gateway,
  type GroupColumns,
  OPEN_ROWS,
  type PlannedColumn,
  type RowGroup,
  type RowRange,
  type Written,
} from '@data-designer/core';
import { MCPRegistry } from '@data-designer/mcp';
import { ModelRegistry } from '@data-designer/models';
import type { RowBatch } from '../store/row-batch.ts';
import { Barrier } from './barrier.ts';
import { openRows } from './open-rows.ts';
import { fillColumns, picked } from './fill-columns.ts';
import type { FlowColumn, PreparedPlan } from './prepare-plan.ts';
import { type CellParts, RowCell } from './row-cell.ts';
import { flowRow } from './row-flow.ts';
import { LostRowCount, type RowGroupResult } from './row-group-result.ts';

/** A row as it fills: cells by column name. */
type OpenRow = Record<string, CellValue>;

/** What a row group is made with, beside its plan. */
export interface RowGroupParts {
  readonly gateway: Gateway;
  readonly signal: AbortSignal;
  /** The rows of the plan's tables that stand beside the rows of a range: by table, by column. */
  readonly tables: (range: RowRange) => Promise<GroupColumns['tables']>;
  /** Puts the finished rows where they shall stand until the commit. */
  readonly write: (batch: RowBatch) => Promise<RowGroupResult['output']>;
}

/** Makes the rows of one group: the one function that does, wherever it runs. */
export async function runRowGroup(
  prepared: PreparedPlan,
  group: RowGroup,
  parts: RowGroupParts,
): Promise<RowGroupResult> {
  const { plan } = prepared;
  const lost = new LostRowCount();
  const tables = await parts.tables(group);
  const { columns, positions } = fillColumns(prepared, group, { tables, lost });
  const models = new ModelRegistry(plan.models, parts.gateway, {
    maxCorrectionSteps: plan.maxConversationCorrectionSteps,
    maxConversationRestarts: plan.maxConversationRestarts,
  });
  const tools = new MCPRegistry(plan.tools, parts.gateway);
  let rows = positions.length;
  if (prepared.flowing.length > 0) {
    const work: GroupWork = {
      prepared,
      rowIndexes: Float64Array.from(positions, (position) => group.firstRow + position),
      lost,
      gateway: parts.gateway,
      cells: { models, tools, signal: parts.signal },
      open: openingRows(prepared, rows, columns),
      barriers: new Map(),
    };
    const alive = await flowRows(work);
    rows = alive.length;
    gather(work, alive, columns);
  }
  const output = await parts.write({ fields: plan.fields, columns, rows });
  return { group: group.index, rows, lost: lost.list(), usage: models.usage(), tools: tools.counts(), output };
}

interface GroupWork {
  readonly prepared: PreparedPlan;
  /** Where in the run each open row stands. */
  readonly rowIndexes: Float64Array;
  readonly lost: LostRowCount;
  readonly gateway: Gateway;
  readonly cells: CellParts;
  readonly open: readonly OpenRow[];
  readonly barriers: Map<FlowColumn, Barrier>;
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

/** An integral value of a float column as the float that it is. */
function boxed(value: CellValue, isFloat: boolean): CellValue {
  return isFloat && Number.isInteger(value) ? new Float(value as number) : value;
}

/** Makes all rows, oldest first; gives the positions of those that were made. */
async function flowRows(work: GroupWork): Promise<number[]> {
  const { prepared, open } = work;
  for (const flowing of prepared.flowing) {
    if ('group' in flowing.make) work.barriers.set(flowing, new Barrier(open.length, flowing.make.group));
  }
  const alive: number[] = [];
  // Where rows wait for each other, all of them must be open; else as many as keep the resources busy.
  const window = work.barriers.size > 0 ? open.length : rowWindow(prepared);
  await openRows(open.length, window, async (position) => {
    if (await flowOne(work, position)) alive.push(position);
  });
  return alive.toSorted((a, b) => a - b);
}

/** As many as the gateway would ever admit of one group; which rows are open, over all groups, is its business. */
function rowWindow({ plan }: PreparedPlan): number {
  return Math.max(1, 2 * plan.resources.reduce((sum, { limit }) => sum + limit, 0));
}

/** Waits for a place among the open rows. Not needed where nothing is asked of the outside, nor where rows wait for each other. */
async function openRow({ prepared, gateway, barriers }: GroupWork, row: number): Promise<void> {
  if (prepared.plan.resources.length === 0 || barriers.size > 0) return;
  await gateway.admit(OPEN_ROWS, { row, column: '', call: 0 });
}

/** Makes one row; false if it is lost. A failure that ends the run is thrown. */
async function flowOne(work: GroupWork, position: number): Promise<boolean> {
  const { prepared, lost, gateway } = work;
  const row = work.open[position] as OpenRow;
  const rowIndex = work.rowIndexes[position] as number;
  const arrived = new Set<FlowColumn>();
  let failing = '';
  try {
    await openRow(work, rowIndex);
    await flowRow(prepared.flow, async (index) => {
      const flowing = prepared.flowing[index] as FlowColumn;
      const { column, make, random } = flowing;
      const cell = new RowCell({ row, rowIndex, column: column.name, random }, work.cells);
      try {
        arrived.add(flowing);
        const written = 'cell' in make ? make.cell(cell) : work.barriers.get(flowing)?.arrive(cell);
        writeCells({ row, column, floats: prepared.floats }, (await written) as Written);
      } catch (thrown) {
        failing ||= column.name;
        throw thrown;
      }
    });
    return true;
  } catch (thrown) {
    const failure = DataDesignerError.fromUnknown(thrown);
    if (endsRun(failure)) throw failure;
    lost.add({ column: failing, code: failure.code, message: failure.message, rows: 1 });
    for (const [flowing, barrier] of work.barriers) if (!arrived.has(flowing)) barrier.leave();
    return false;
  } finally {
    if (prepared.plan.resources.length > 0) gateway.cancel(rowIndex);
  }
}

/** Failures that are not about one row. */
const ENDS_RUN: ReadonlySet<FailureCode> = new Set([
  'run/aborted',
  'run/gateway-lost',
  'tool/unavailable',
  'model/unauthorized',
]);

function endsRun({ code }: DataDesignerError): boolean {
  return ENDS_RUN.has(code) || code.startsWith('dataset/');
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
