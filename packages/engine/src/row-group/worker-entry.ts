import type { RowGroupTask } from './worker.ts';
import type { WorkerAnswer } from './row-group-result.ts';

/**
 * The pool requires its entry, and Node (24.21) aborts the whole process where a thread is ended in the middle of that.
 * So the entry itself is loaded in a moment, and what it leads to is imported, which may be cut off at any time.
 */
const loading = import('./worker.ts');
// Its failure shows in the task that meets it.
loading.catch(() => {});

/** Makes one row group in this thread, once that has loaded. */
export default async function work(task: RowGroupTask): Promise<WorkerAnswer> {
  const { makeRowGroup } = await loading;
  return makeRowGroup(task);
}
