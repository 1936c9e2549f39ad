import type { FinishOptions } from '../commit/finish-dataset.ts';
import { refuseTerminal, replaceDamagedMetadata } from '../commit/process-dataset.ts';
import { type Job, leftToMake } from './job.ts';
import type { RowSource } from './row-source.ts';

/**
 * The rows that a lost coordinator left to complete: all of them are made, unless its run has ended early. Counts them, and
 * completes changes of files that it had begun.
 */
export function madeRows({ isEnded }: { readonly isEnded: boolean }): RowSource<Job<FinishOptions>> {
  return {
    make: async (job) => {
      const { folder, plan, summary, options } = job;
      await folder.finishFiles();
      await replaceDamagedMetadata(folder, plan, options);
      await refuseTerminal(folder, plan);
      const { partial } = await leftToMake(job);
      return { plan, summary, isComplete: !isEnded && partial.size === 0 && summary.rows > 0 };
    },
  };
}
