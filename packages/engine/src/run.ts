import type { Plan } from '@data-designer/core';
import type { RequestedRunOptions } from './run-options.ts';
import type { RunResult } from './run-result.ts';
import { isSelecting } from './select/candidate-plan.ts';

/** Makes a dataset, or continues it: the rows of a plan, or as many candidates as it takes to accept that many rows. */
export async function run(fresh: Plan, requested: RequestedRunOptions): Promise<RunResult> {
  if (isSelecting(fresh)) return (await import('./select/accepted-candidates.ts')).runSelected(fresh, requested, run);
  // A preview has no folder, and loads none of this.
  const [{ openJob }, { executorRows }] = await Promise.all([import('./job/job.ts'), import('./job/executor-rows.ts')]);
  await using job = await openJob(fresh, requested);
  const { folder, options } = job;
  await folder.whileHeld(async () => {
    await job.make(executorRows);
    await job.finish();
    await options.machines?.end(folder.paths);
  });
  return job.result();
}
