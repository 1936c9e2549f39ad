import { setMaxListeners } from 'node:events';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { loadPlugins } from '@data-designer/columns';
import { DataDesignerError, parseJson, type Plan, type RowGroup } from '@data-designer/core';
import { beat, type HeartbeatMemory, noteCell, PortGateway } from '@data-designer/gateway/worker';
import type { TableFile } from '@data-designer/seeds';
import type { TablesReader } from '@data-designer/seeds/reader';
import { FunctionCalls } from '../functions/function-calls.ts';
import { type PreparedPlan, preparePlan } from './prepare-plan.ts';
import { ProgressReporter } from './progress-reporter.ts';
import type { GroupContext, ResumedGroup, RowGroupContext } from './group-context.ts';
import type { WorkerAnswer } from './row-group-result.ts';
import { runRowGroup } from './run-row-group.ts';
import { type SerialCell, SerialCells } from './serial-cells.ts';
import { type TasksMessage, TaskSteps } from './task-steps.ts';
import { type Destination, writeBatch } from './write-batch.ts';

/** A worker's task: one row group. The port leads to the group's channel in the I/O thread. */
export interface RowGroupTask extends Pick<GroupContext, 'folder' | 'mediaRoots'> {
  /** Identifies the run: plans and tables prepared for one run are not used for another. */
  readonly run: string;
  /** The plan as JSON text, the same for all groups of a run. */
  readonly plan: string;
  readonly group: ResumedGroup;
  /** The run's seed tables, the same for all groups. */
  readonly tables?: readonly TableFile[];
  readonly port: MessagePort;
  /** Leads to the functions of the calling program; absent where the plan has none. */
  readonly functionPort?: MessagePort | undefined;
  readonly destination: Destination;
  /** Makes the cells one at a time and notes each, to find one that ends the thread; `row` limits that to one row. */
  readonly serial?: { readonly row?: number };
  /** Whether calls are recorded, so they say what they are made for. */
  readonly recordsCalls?: boolean;
  /** Whether to report the steps of tasks. */
  readonly reportsSteps?: boolean;
}

/** The tasks of a worker thread: `load` first, then row groups. */
export type WorkerTask = 'load' | RowGroupTask;

/** The start data of a worker: the memory for its heartbeats. */
export interface WorkerData {
  readonly heartbeat: HeartbeatMemory;
}

beat((workerData as WorkerData).heartbeat);

const progress = new ProgressReporter((message) => parentPort?.postMessage(message));

/** Shared by all groups of a run in this thread. */
interface PreparedRun {
  readonly prepared: PreparedPlan;
  readonly tables: TablesReader;
}

let latest: { readonly run: string; readonly prepared: Promise<PreparedRun> } | undefined;

/** Compiles the plan and opens its tables once for all groups of a run. */
function prepare(task: RowGroupTask): Promise<PreparedRun> {
  if (latest?.run !== task.run) latest = { run: task.run, prepared: prepareRun(task) };
  return latest.prepared;
}

async function prepareRun({ plan: text, tables: files = [] }: RowGroupTask): Promise<PreparedRun> {
  const plan = parseJson(text) as unknown as Plan;
  const registry = await loadPlugins(plan.plugins ?? []);
  return { prepared: preparePlan(plan, registry), tables: await openTables(plan, files) };
}

async function openTables({ tables }: Plan, files: readonly TableFile[]): Promise<TablesReader> {
  if (files.length === 0) return () => Promise.resolve(new Map());
  const { tablesReader } = await import('@data-designer/seeds/reader');
  return tablesReader(tables, files);
}

function serialCells({ plan }: PreparedPlan, { firstRow }: RowGroup, { row }: { readonly row?: number }): SerialCells {
  const positions = new Map(plan.columns.map(({ name }, position) => [name, position]));
  const note = (cell: SerialCell | undefined): void => {
    const { heartbeat } = workerData as WorkerData;
    noteCell(heartbeat, cell && { position: cell.row - firstRow, column: positions.get(cell.column) ?? 0 });
  };
  return new SerialCells(note, row);
}

function stepsOf({ run, group }: RowGroupTask): TaskSteps {
  return new TaskSteps(group, (steps) => {
    parentPort?.postMessage({ kind: 'tasks', run, steps } satisfies TasksMessage);
  });
}

/** Makes one row group in this thread. Returns failures as data, since their class does not survive a throw. */
export async function makeRowGroup(task: RowGroupTask): Promise<WorkerAnswer> {
  const { group, port, functionPort, destination, folder, mediaRoots, serial, recordsCalls: isObserved } = task;
  const abort = new AbortController();
  // Every call of every cell adds a listener.
  setMaxListeners(0, abort.signal);
  using gateway = new PortGateway(port, { isObserved });
  using functions = new FunctionCalls(functionPort, abort.signal);
  using steps = task.reportsSteps ? stepsOf(task) : undefined;
  try {
    const write: RowGroupContext['write'] = (batch, sideTables) => writeBatch(destination, batch, sideTables);
    const { prepared, tables } = await prepare(task);
    const { kind } = destination;
    const how = {
      isDryReplay: kind === 'nowhere',
      mayChangeRows: kind === 'memory',
      // A serial replay reports no progress.
      ...(serial
        ? { serial: serialCells(prepared, group, serial) }
        : { watch: progress.watch.bind(progress, task.run) }),
    };
    const parts = { gateway, functions, ...how, signal: abort.signal, folder, mediaRoots, tables, write, steps };
    return { result: await runRowGroup(prepared, group, parts) };
  } catch (thrown) {
    return { failure: DataDesignerError.fromUnknown(thrown).toWire() };
  } finally {
    abort.abort();
  }
}
