import { parentPort, workerData } from 'node:worker_threads';
import type { HeartbeatMemory } from '@data-designer/gateway/worker';
import type { RowGroupTask } from './row-group-maker.ts';
import type { WorkerAnswer } from './row-group-result.ts';

/** The start data of a worker: the memory for its heartbeats. */
export interface WorkerData {
  readonly heartbeat: HeartbeatMemory;
}

/** The tasks of a worker thread: `load` first, then row groups. */
export type WorkerTask = 'load' | RowGroupTask;

/**
 * Piscina requires its entry. Node (24.21) aborts the process where a thread ends while `require` wraps a module with a
 * default export, so this one has none. It loads quickly and imports the rest: an import may be cut off at any time.
 */
const loading = import('./row-group-maker.ts').then(({ RowGroupMaker }) => {
  const { heartbeat } = workerData as WorkerData;
  return new RowGroupMaker({ heartbeat, report: (message) => parentPort?.postMessage(message) });
});
// The first task reports its failure.
loading.catch(() => {});

/** Runs a worker thread's task: `load` answers nothing once the worker is loaded, a row group answers its result. */
export async function work(task: WorkerTask): Promise<WorkerAnswer | undefined> {
  const maker = await loading;
  return task === 'load' ? undefined : maker.make(task);
}
