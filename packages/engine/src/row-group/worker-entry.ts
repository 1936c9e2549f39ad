import type { WorkerAnswer } from './row-group-result.ts';
import type { WorkerTask } from './worker.ts';

/**
 * Piscina requires its entry, and Node (24.21) aborts the whole process where a thread ends in the middle of that. So the
 * entry itself is loaded in a moment, and what it leads to is imported, which may be cut off at any time.
 */
const loading = import('./worker.ts');
// Its failure shows in the task that meets it.
loading.catch(() => {});

/** Answers what a worker thread is given: nothing to say once it has loaded, else the row group that it has made. */
export default async function work(task: WorkerTask): Promise<WorkerAnswer | undefined> {
  const { makeRowGroup } = await loading;
  return task === 'load' ? undefined : makeRowGroup(task);
}
