import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolContext } from '@data-designer/mcp';
import type { DatasetState, Job } from './job.ts';
import { storedState } from './stored-datasets.ts';

/** How often is told how far a dataset has come. */
const REPORT_EVERY_MS = 1_000;

/** Waits for the end of a job, so many seconds at most, and tells how far it has come meanwhile. */
export async function watchJob(
  job: Job,
  seconds: number,
  { signal, progress }: Pick<ToolContext, 'signal' | 'progress'>,
): Promise<DatasetState> {
  const until = performance.now() + seconds * 1000;
  let told = -1;
  for (;;) {
    const { records, requested } = job.state;
    if (records > told) progress((told = records), requested);
    const leftMs = until - performance.now();
    if (job.isOver || leftMs <= 0 || signal.aborted) return withCost(job);
    const pause = sleep(Math.min(leftMs, REPORT_EVERY_MS), undefined, { signal, ref: false }).catch(() => {});
    await Promise.race([job.ended, pause]);
  }
}

/** A state with what the finished part has cost, which the dataset's files tell while it is made. */
export async function withCost({ state }: Job): Promise<DatasetState> {
  if (state.cost !== null || state.folder === null) return state;
  const { folder, dataset } = state;
  const stored = await storedState(dirname(folder), dataset);
  return { ...state, cost: stored?.cost ?? null };
}
