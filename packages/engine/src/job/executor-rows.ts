import { UsageLog } from '@data-designer/dataset';
import { GroupCommits } from '../commit/group-commits.ts';
import { recordStart } from '../commit/run-metadata.ts';
import { reportStart } from '../progress/report-start.ts';
import { type Job, leftToMake } from './job.ts';
import { type ExecutorJob, makeRowGroups } from './make-row-groups.ts';
import type { RowSource } from './row-source.ts';

/** The rows of a plan that the threads of this machine, or the machines of a cluster, make into a dataset. */
export const executorRows: RowSource<Job> = {
  make: async (job) => {
    const making = jobOfDataset(job);
    if (!job.options.writeSchedulerEvents) return makeRowGroups(making);
    const { withSchedulerEvents } = await import('./with-scheduler-events.ts');
    return withSchedulerEvents(making, makeRowGroups);
  },
};

function jobOfDataset(job: Job): ExecutorJob {
  const { plan, prior, summary, folder, options } = job;
  return {
    plan,
    prior,
    summary,
    options,
    paths: folder.paths,
    left: () => leftToMake(job),
    addUsage: (usage) => new UsageLog(folder.paths.usage).add(null, usage),
    begin: async (record, groups) => {
      await recordStart(folder, { ...record, format: options.format }, options.document);
      job.keep();
      reportStart(
        record.plan,
        { path: folder.path, rowsDone: summary.finishedRows, groups, tables: record.tables },
        options,
      );
    },
    share: async (rows) => options.machines?.open({ ...rows, folder, options }),
    sink: (parts) => new GroupCommits({ ...parts, folder, format: options.format }),
    hasWatchers: true,
  };
}
