import type { WorkerAnswer } from './row-group-result.ts';
import { makeRowGroup, type WorkerTask } from './worker.ts';

/** Answers what a worker thread is given: nothing to say once it has loaded, else the row group that it has made. */
export default function work(task: WorkerTask): Promise<WorkerAnswer | undefined> {
  return task === 'load' ? Promise.resolve(undefined) : makeRowGroup(task);
}
