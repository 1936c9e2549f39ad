import { setImmediate } from 'node:timers/promises';
import { type ColumnData, DataDesignerError, type Gateway, type LostRowCount, type Plan } from '@data-designer/core';
import { mostOpenRows } from '@data-designer/gateway/worker';
import type { MCPRegistry } from '@data-designer/mcp';
import { ModelRegistry } from '@data-designer/models';
import { Barrier } from './barrier.ts';
import type { FilledGroup } from './fill-columns.ts';
import type { FinishedPrefix } from './finished-rows.ts';
import type { ResumedGroup, RowGroupContext } from './group-context.ts';
import { CellCalls } from './cell-calls.ts';
import { GroupCounter } from './group-progress.ts';
import { makeRow } from './make-row.ts';
import { cellKey, type MakingGroup } from './making-group.ts';
import type { PreparedPlan } from './prepare-plan.ts';
import { RowColumns } from './row-columns.ts';
import type { RowGroupResult } from './row-group-result.ts';
import { notingLeases } from './task-steps.ts';
import { WrittenImages } from './written-images.ts';

/** How long rows are worked on before the event loop turns: heartbeats and messages need it. */
const BREATH_MS = 250;

/** Which rows are made, and where lost rows are counted. */
export interface MakeRowsOptions {
  readonly group: ResumedGroup;
  readonly context: RowGroupContext;
  readonly lost: LostRowCount;
}

/** The rows of a group once their cells are made. */
export interface MadeGroup extends Pick<
  RowGroupResult,
  | 'rows'
  | 'lostAlone'
  | 'unfinished'
  | 'fatal'
  | 'cells'
  | 'usage'
  | 'tools'
  | 'attempts'
  | 'failures'
  | 'orphanedImages'
> {
  readonly columns: ReadonlyMap<string, ColumnData>;
  /** The index in the run of the row at a position. */
  readonly rowIndexOf: (position: number) => number;
  /** The images that a row shows, by its index in the run, or all but those of some rows. */
  readonly images: Pick<WrittenImages, 'shownBy' | 'shownWithout'>;
}

/** Makes the cells that are made row by row, over the columns that are filled already; each row is its own dataflow. */
export async function makeRows(
  prepared: PreparedPlan,
  filled: FilledGroup,
  { group, context, lost }: MakeRowsOptions,
): Promise<MadeGroup> {
  const { steps } = context;
  const gateway = steps ? notingLeases(context.gateway, steps) : context.gateway;
  const { plan } = prepared;
  const { maxConversationCorrectionSteps: maxCorrectionSteps, maxConversationRestarts } = plan;
  const models = new ModelRegistry(plan.models, gateway, { maxCorrectionSteps, maxConversationRestarts });
  const environments = await environmentsOf(prepared, context, models);
  const tools = await toolsFor(plan, environments?.gateway ?? context.gateway);
  const ofBlocks = (plan.attempts ?? []).flatMap(({ writes }) => writes.filter(({ type }) => typeof type === 'object'));
  const images = new WrittenImages(ofBlocks.map(({ name }) => name));
  const counter = new GroupCounter(prepared.rowColumns.map(({ column }) => column.name));
  // Watchers see the kept rows from the start.
  if (!context.isDryReplay) counter.rows = group.again?.kept ?? 0;
  const calls = context.watch && callsOf(prepared);
  const making: MakingGroup = {
    prepared,
    context,
    services: { models, tools, context, images, calls },
    environments,
    lost,
    counter,
    failures: [],
    barriers: new Map(),
    journaledCalls: new Set(group.journaledCalls),
    failedCells: new Map(group.failedCells?.map((cell) => [cellKey(cell), cell.failure])),
  };
  const spent = context.isDryReplay ? undefined : group.again?.spent;
  const { joinCounts } = spent ? await import('../counts.ts') : { joinCounts: undefined };
  const counts = () => {
    const attempts = making.attempts?.counts;
    const own = { usage: models.usage(), tools: tools.counts(), ...(attempts && { attempts }) };
    return {
      cells: counter.cells(),
      ...(joinCounts?.(own, spent) ?? own),
      fatal: making.fatal?.toWire(),
    };
  };
  using watch = context.watch?.(() => {
    const { rows, lost: lostRows } = counter;
    const inFlight = models.inFlight();
    return {
      group: group.index,
      rows,
      lost: lostRows,
      reasons: lost.list(),
      inFlight,
      ...counts(),
      ...(calls && { calls: calls.counts() }),
    };
  });
  making.onFatal = () => watch?.report();
  const rowIndexes = Float64Array.from(filled.positions, (position) => group.firstRow + position);
  const columns = new RowColumns(prepared, filled);
  const again = group.again && new Set(group.again.rows);
  const open = { columnsAt: (at: readonly number[]) => columns.copyAt(at), rowIndexes };
  // Few runs have a reader, and every worker loads this file.
  const finished = context.readers
    ? (await import('./finished-rows.ts')).sendFinishedRows(prepared, open, { group, context })
    : undefined;
  using _ = finished;
  const made = await makeAll(making, { columns, rowIndexes, images, again, finished });
  return {
    columns: columns.columnsAt(made),
    rows: made.length,
    rowIndexOf: (position) => rowIndexes[made[position] ?? -1] ?? -1,
    images,
    unfinished: counter.unfinished,
    ...(counter.lostAlone > 0 && { lostAlone: counter.lostAlone }),
    failures: making.failures,
    orphanedImages: images.orphaned,
    ...counts(),
  };
}

/** Counts the calls of the cells that are made one by one, and once for each row. */
function callsOf({ plan: { attempts = [] }, rowColumns }: PreparedPlan): CellCalls {
  const tried = new Set(attempts.flatMap(({ columns }) => columns));
  const counted = rowColumns.filter(({ column, make }) => 'cell' in make && !tried.has(column.name));
  return new CellCalls(counted.map(({ column }) => column.name));
}

const NO_TOOLS: Pick<MCPRegistry, 'get' | 'counts'> = {
  get: (alias) => {
    throw new DataDesignerError('internal/unexpected', { reason: `The plan has no tool alias '${alias}'.` });
  },
  counts: () => ({}),
};

/** Many plans have no tools, and every worker loads this file. */
async function toolsFor({ tools }: Plan, gateway: Gateway): Promise<Pick<MCPRegistry, 'get' | 'counts'>> {
  if (Object.keys(tools).length === 0) return NO_TOOLS;
  const { MCPRegistry: Registry } = await import('@data-designer/mcp/registry');
  return new Registry(tools, gateway);
}

/** Few plans have environments, and every worker loads this file. */
async function environmentsOf(
  { plan, floats }: PreparedPlan,
  { gateway, functions, signal }: RowGroupContext,
  models: ModelRegistry,
): Promise<MakingGroup['environments']> {
  if (plan.environments === undefined) return undefined;
  const { openEnvironments } = await import('../environments/row-environments.ts');
  return openEnvironments(plan, { floats, gateway, functions, models, signal });
}

interface RowSources {
  readonly columns: RowColumns;
  /** The index in the run of each row. */
  readonly rowIndexes: Float64Array;
  readonly images: WrittenImages;
  /** The rows to make; all if undefined. */
  readonly again: ReadonlySet<number> | undefined;
  /** Learns how each row ended; undefined if nobody asks. */
  readonly finished: FinishedPrefix | undefined;
}

/** Makes all rows, oldest first; returns the positions of those that were made. */
async function makeAll(making: MakingGroup, sources: RowSources): Promise<number[]> {
  const { columns, rowIndexes, images, again, finished } = sources;
  const { prepared, barriers } = making;
  const { serial, signal } = making.context;
  const total = rowIndexes.length;
  openBarriers(making, total);
  const made: number[] = [];
  // Rows that wait for each other must all be open; else as many as the gateway would admit from one group.
  const atOnce = barriers.size > 0 ? total : serial ? 1 : Math.max(1, mostOpenRows(prepared.plan));
  await openRows(total, atOnce, async (position) => {
    if (signal.aborted) throw new DataDesignerError('run/aborted', { reason: 'its row group was ended' });
    const rowIndex = rowIndexes[position] ?? -1;
    if ((serial?.row !== undefined && serial.row !== rowIndex) || again?.has(rowIndex) === false) {
      for (const barrier of barriers.values()) barrier.leave();
      return;
    }
    const row = columns.rowAt(position);
    const end = await makeRow(making, row, rowIndex);
    if (end === 'made') {
      made.push(position);
      columns.store(position, row);
    }
    images.settle(rowIndex, end === 'made' ? row : undefined);
    finished?.settle(position, end);
  });
  return made.toSorted((a, b) => a - b);
}

/** Opens a barrier for each column that is made for all rows together. */
function openBarriers({ prepared, barriers, context: { serial } }: MakingGroup, rows: number): void {
  for (const column of prepared.rowColumns) {
    if (!('group' in column.make)) continue;
    const { group } = column.make;
    const make: typeof group = serial ? (cells) => serial.make(undefined, () => group(cells)) : group;
    barriers.set(column, new Barrier(rows, make));
  }
}

/** Works through positions 0 to `count - 1` in order, at most `atOnce` at a time; none is started after a failure. */
async function openRows(count: number, atOnce: number, work: (position: number) => Promise<void>): Promise<void> {
  let next = 0;
  let breathed = performance.now();
  const lane = async (): Promise<void> => {
    try {
      while (next < count) {
        await work(next++);
        if (performance.now() - breathed < BREATH_MS) continue;
        breathed = performance.now();
        await setImmediate();
      }
    } catch (failure) {
      next = count;
      throw failure;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane));
}
