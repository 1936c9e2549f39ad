import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolContext } from '@data-designer/mcp';
import type { DatasetState, Job } from './job.ts';
import { storedState } from './stored-datasets.ts';

/** The interval between progress reports. */
const REPORT_EVERY_MS = 1_000;

/** Waits at most `seconds` for the end of a job, and reports its progress meanwhile. */
export async function watchJob(
  job: Job,
  seconds: number,
  { signal, progress }: Pick<ToolContext, 'signal' | 'progress'>,
): Promise<DatasetState> {
  const until = performance.now() + seconds * 1000;
  let reported = -1;
  for (;;) {
    const { records, requested } = job.state;
    if (records > reported) progress((reported = records), requested);
    const leftMs = until - performance.now();
    if (job.hasEnded || leftMs <= 0 || signal.aborted) return withCost(job);
    const pause = sleep(Math.min(leftMs, REPORT_EVERY_MS), undefined, { signal, ref: false }).catch(() => {});
    await Promise.race([job.ended, pause]);
  }
}

/** The state of a job; during the run its cost comes from the dataset's files. */
export async function withCost({ state }: Job): Promise<DatasetState> {
  if (state.cost !== null || state.folder === null) return state;
  const { folder, dataset } = state;
  const stored = await storedState(dirname(folder), dataset);
  return { ...state, cost: stored?.cost ?? null };
}
