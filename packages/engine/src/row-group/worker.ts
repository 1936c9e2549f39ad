import { setMaxListeners } from 'node:events';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { loadPlugins } from '@data-designer/columns';
import { DataDesignerError, parseJson, type Plan } from '@data-designer/core';
import { beat, type HeartbeatMemory, noteCell, PortGateway } from '@data-designer/gateway/worker';
import { tablesReader } from '@data-designer/seeds/reader';
import type { TableFile } from '@data-designer/seeds';
import { FunctionCalls } from '../functions/function-calls.ts';
import { type PreparedPlan, preparePlan } from './prepare-plan.ts';
import { ProgressTeller } from './progress-reporter.ts';
import type { ResumedGroup } from './resumed-group.ts';
import type { WorkerAnswer } from './row-group-result.ts';
import { type RowGroupParts, runRowGroup } from './run-row-group.ts';
import { type SoloCell, SoloCells } from './serial-cells.ts';
import { type Destination, writeBatch } from './write-batch.ts';

/** One row group as a worker is given it; the port leads to the group's desk in the I/O thread. */
export interface RowGroupTask {
  /** Tells runs apart, whatever they have in common: what was prepared or read for one is not used for another. */
  readonly run: string;
  /** The plan as JSON text, the same for all groups of a run. */
  readonly plan: string;
  readonly group: ResumedGroup;
  /** The tables beside the run, the same for all its groups. */
  readonly tables?: readonly TableFile[];
  /** The dataset's folder; absent in a preview. */
  readonly folder?: string | undefined;
  /** Further folders whose files cells may name. */
  readonly mediaRoots?: readonly string[] | undefined;
  readonly port: MessagePort;
  /** Leads to the functions of the calling program; absent where the plan has none. */
  readonly functionPort?: MessagePort | undefined;
  readonly destination: Destination;
  /** Makes the group's cells one at a time and notes each, so that one that ends the thread is known; of one row where given. */
  readonly solo?: { readonly row?: number };
}

/** What a worker thread is given: at first to load, then row groups to make. */
export type WorkerTask = 'load' | RowGroupTask;

/** What a worker is given when it starts: where it shows that it lives. */
export interface WorkerData {
  readonly heartbeat: HeartbeatMemory;
}

beat((workerData as WorkerData).heartbeat);

const progress = new ProgressTeller((message) => parentPort?.postMessage(message));

/** What all groups of a run that come to this thread are made with. */
interface PreparedRun {
  readonly prepared: PreparedPlan;
  readonly tables: ReturnType<typeof tablesReader>;
}

let latest: { readonly run: string; readonly prepared: Promise<PreparedRun> } | undefined;

/** The plan with everything compiled, and its tables with what was read of them, once for all groups of a run. */
function prepare(task: RowGroupTask): Promise<PreparedRun> {
  if (latest?.run !== task.run) latest = { run: task.run, prepared: prepareRun(task) };
  return latest.prepared;
}

async function prepareRun({ plan: text, tables: files = [] }: RowGroupTask): Promise<PreparedRun> {
  const plan = parseJson(text) as unknown as Plan;
  const registry = await loadPlugins(plan.plugins ?? []);
  return { prepared: preparePlan(plan, registry), tables: tablesReader(plan.tables, files) };
}

function soloCells({ plan }: PreparedPlan, { firstRow }: ResumedGroup, { row }: { readonly row?: number }): SoloCells {
  const positions = new Map(plan.columns.map(({ name }, position) => [name, position]));
  const note = (cell: SoloCell | undefined): void => {
    const { heartbeat } = workerData as WorkerData;
    noteCell(heartbeat, cell && { position: cell.row - firstRow, column: positions.get(cell.column) ?? 0 });
  };
  return new SoloCells(note, row);
}

/** Makes one row group in this thread. Failures are given back as data, since their class does not survive a throw. */
export async function makeRowGroup(task: RowGroupTask): Promise<WorkerAnswer> {
  const { group, port, functionPort, destination, folder, mediaRoots, solo } = task;
  const abort = new AbortController();
  // Every call of every cell listens to it.
  setMaxListeners(0, abort.signal);
  using gateway = new PortGateway(port);
  using functions = new FunctionCalls(functionPort, abort.signal);
  try {
    const write: RowGroupParts['write'] = (batch, beside) => writeBatch(destination, batch, beside);
    const { prepared, tables } = await prepare(task);
    const { kind } = destination;
    const how = {
      isDryReplay: kind === 'nowhere',
      mayChangeRows: kind === 'memory',
      // Of a replay on the side nobody is told.
      ...(solo ? { solo: soloCells(prepared, group, solo) } : { watch: progress.watch.bind(progress, task.run) }),
    };
    const parts = { gateway, functions, ...how, signal: abort.signal, folder, mediaRoots, tables, write };
    return { result: await runRowGroup(prepared, group, parts) };
  } catch (thrown) {
    return { failure: DataDesignerError.fromUnknown(thrown).toWire() };
  } finally {
    abort.abort();
  }
}
