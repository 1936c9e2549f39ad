import type { WorkerAnswer } from './row-group-result.ts';
import type { WorkerTask } from './worker.ts';

/**
 * Piscina requires its entry, and Node (24.21) aborts the process where a thread ends during a `require`. So the entry
 * loads quickly and imports the rest, and an import may be cut off at any time.
 */
const loading = import('./worker.ts');
// The first task reports its failure.
loading.catch(() => {});

/** Runs a worker thread's task: `load` answers nothing once the worker is loaded, a row group answers its result. */
export default async function work(task: WorkerTask): Promise<WorkerAnswer | undefined> {
  const { makeRowGroup } = await loading;
  return task === 'load' ? undefined : makeRowGroup(task);
}
