import { NEVER, type RowGroup, untilStopped } from '@data-designer/core';
import type { RunGateway } from '@data-designer/gateway';
import { type CommitParts, GroupCommits } from './commit/group-commits.ts';
import { GRACE_MS, type RunEnding } from './endings/run-ending.ts';
import { untilEnded } from './endings/until-ended.ts';
import type { Executor } from './executor/executor.ts';
import { ProgressFile } from './progress/progress-file.ts';
import { reportProgress } from './progress/report-progress.ts';
import type { RunOptions } from './run-options.ts';

/** What makes and commits the row groups of a run. */
export interface TakenRun extends CommitParts {
  readonly executor: Executor;
  readonly ending: RunEnding;
  readonly options: Pick<RunOptions, 'signal' | 'drain' | 'onEvent'> & {
    /** Whether machines of a cluster make the groups. */
    readonly isShared?: boolean;
  };
}

/** Has the groups made, commits each, and reports the progress. */
export async function takeGroups(groups: Iterable<RowGroup>, run: TakenRun): Promise<void> {
  const { executor, ending, gateway, progress, options } = run;
  await using file = new ProgressFile(run.folder.paths);
  using _ = reportProgress(progress, (event) => {
    file.take(event);
    options.onEvent(event);
  });
  const commits = new GroupCommits(run);
  const results = executor.run(ending.untilReason(groups), commits.channels);
  // The machines of a cluster drain one after another, then the coordinator replays their unfinished groups.
  const lateMs = options.isShared ? CLUSTER_LATE_MS : GRACE_MS;
  try {
    await untilEnded(commits.take(ending.follow(results)), ending, { ...options, gateway, lateMs });
  } catch (failure) {
    await commitReceived(commits, gateway, options);
    throw failure;
  }
}

const CLUSTER_LATE_MS = 5 * GRACE_MS;

/** After a failure: waits for paid answers to reach their journals, unless the run was stopped, and counts the committed groups. */
async function commitReceived(
  commits: GroupCommits,
  gateway: RunGateway,
  { signal, drain }: Pick<RunOptions, 'signal' | 'drain'>,
): Promise<void> {
  try {
    if (!signal.aborted) {
      const signals = { signal, drain: drain.aborted ? NEVER : drain };
      await untilStopped(gateway.drain(GRACE_MS), signals, async () => {}).catch(() => {});
    }
    await commits.settle();
  } catch {
    // The failure that ended the run is the one to report.
  }
}
