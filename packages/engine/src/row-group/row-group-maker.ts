import { setMaxListeners } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { loadPlugins } from '@data-designer/columns';
import { DataDesignerError, parseJson, type Plan, type RowGroup } from '@data-designer/core';
import { beat, type HeartbeatMemory, noteCell, PortGateway } from '@data-designer/gateway/worker';
import type { TableFile } from '@data-designer/seeds';
import type { TablesReader } from '@data-designer/seeds/reader';
import { FunctionCalls } from '../functions/function-calls.ts';
import { type PreparedPlan, preparePlan } from './prepare-plan.ts';
import { ProgressReporter, type WorkerReport } from './progress-reporter.ts';
import type { AwaitedGroup, RowReaders } from './awaited-group.ts';
import type { GroupContext, ResumedGroup, RowGroupContext } from './group-context.ts';
import type { WorkerAnswer } from './row-group-result.ts';
import { runRowGroup } from './run-row-group.ts';
import { type SerialCell, SerialCells } from './serial-cells.ts';
import { TaskSteps } from './task-steps.ts';
import { type Destination, writeBatch } from './write-batch.ts';

/** One row group to make. The port leads to the group's channel in the I/O thread. */
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
  /** The tools that are functions, which are told of their row. */
  readonly functionTools?: ReadonlySet<string>;
  /** Whether to report the steps of tasks. */
  readonly reportsSteps?: boolean;
  /** The row group whose finished rows are reported; absent if nobody can read rows during the run. */
  readonly awaited?: AwaitedGroup | undefined;
}

/** The thread in which row groups are made. */
export interface MakerHost {
  readonly report: (report: WorkerReport) => void;
  /** The memory for heartbeats and for noted cells; only a serial replay, which has a worker thread, notes any. */
  readonly heartbeat?: HeartbeatMemory;
  /** Ends the open groups. A worker thread is terminated instead. */
  readonly signal?: AbortSignal;
}

/** Shared by all groups of a run in this thread. */
interface PreparedRun {
  readonly prepared: PreparedPlan;
  readonly tables: TablesReader;
}

/** Makes row groups in the current thread, in a worker or in the main thread. */
export class RowGroupMaker {
  readonly #host: MakerHost;
  readonly #progress: ProgressReporter;
  #latest: { readonly run: string; readonly prepared: Promise<PreparedRun> } | undefined;

  constructor(host: MakerHost) {
    this.#host = host;
    this.#progress = new ProgressReporter(host.report);
    if (host.heartbeat) beat(host.heartbeat);
  }

  /** Makes one row group. Returns failures as data, since their class does not survive a throw to another thread. */
  async make(task: RowGroupTask): Promise<WorkerAnswer> {
    const {
      group,
      port,
      functionPort,
      destination,
      folder,
      mediaRoots,
      serial,
      recordsCalls: isObserved,
      functionTools,
    } = task;
    const abort = new AbortController();
    // Every call of every cell adds a listener.
    setMaxListeners(0, abort.signal);
    using gateway = new PortGateway(port, { isObserved, functionTools });
    using _ = whenAborted(this.#host.signal, () => {
      abort.abort();
      // Fails the calls that wait, also if the I/O thread does not respond.
      port.close();
    });
    using functions = new FunctionCalls(functionPort, abort.signal);
    using steps = task.reportsSteps ? this.#stepsOf(task) : undefined;
    try {
      const write: RowGroupContext['write'] = (batch, sideTables) => writeBatch(destination, batch, sideTables);
      const { prepared, tables } = await this.#prepare(task);
      const { kind } = destination;
      const how = {
        isDryReplay: kind === 'nowhere',
        mayChangeRows: kind === 'memory',
        // A serial replay reports no progress.
        ...(serial
          ? { serial: this.#serialCells(prepared, group, serial) }
          : { watch: this.#progress.watch.bind(this.#progress, task.run) }),
      };
      const readers = kind === 'file' && task.awaited ? this.#readersOf(task.run, task.awaited) : undefined;
      const reach = { gateway, functions, signal: abort.signal, folder, mediaRoots };
      const parts = { ...reach, ...how, tables, write, steps, readers };
      return { result: await runRowGroup(prepared, group, parts) };
    } catch (thrown) {
      return { failure: DataDesignerError.fromUnknown(thrown).toWire() };
    } finally {
      abort.abort();
    }
  }

  /** Compiles the plan and opens its tables once for all groups of a run. */
  #prepare(task: RowGroupTask): Promise<PreparedRun> {
    if (this.#latest?.run !== task.run) this.#latest = { run: task.run, prepared: prepareRun(task) };
    return this.#latest.prepared;
  }

  #serialCells({ plan }: PreparedPlan, { firstRow }: RowGroup, { row }: { readonly row?: number }): SerialCells {
    const { heartbeat } = this.#host;
    if (!heartbeat) throw new TypeError('a serial replay has no memory for the cell that it makes');
    const positions = new Map(plan.columns.map(({ name }, position) => [name, position]));
    const note = (cell: SerialCell | undefined): void =>
      noteCell(heartbeat, cell && { ...cell, position: cell.row - firstRow, column: positions.get(cell.column) ?? 0 });
    return new SerialCells(note, row);
  }

  #readersOf(run: string, awaited: AwaitedGroup): RowReaders {
    return { awaited, send: (rows) => this.#host.report({ kind: 'rows', run, rows }) };
  }

  #stepsOf({ run, group }: RowGroupTask): TaskSteps {
    return new TaskSteps(group, (steps) => this.#host.report({ kind: 'tasks', run, steps }));
  }
}

function whenAborted(signal: AbortSignal | undefined, end: () => void): Disposable {
  signal?.addEventListener('abort', end);
  if (signal?.aborted) end();
  return { [Symbol.dispose]: () => signal?.removeEventListener('abort', end) };
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
