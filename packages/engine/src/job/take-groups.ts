import type { RowGroup } from '@data-designer/core';
import type { DatasetPaths } from '@data-designer/dataset';
import type { RunGateway } from '@data-designer/gateway';
import { GRACE_MS, type RunEnding } from '../endings/run-ending.ts';
import { untilEnded } from '../endings/until-ended.ts';
import type { Executor, GroupSink } from '../executor/executor.ts';
import { ProgressFile } from '../progress/progress-file.ts';
import { reportProgress } from '../progress/report-progress.ts';
import type { RunProgress } from '../progress/run-progress.ts';
import type { RunOptions } from '../run-options.ts';

/** What makes the row groups of a job. */
export interface GroupMaking {
  readonly executor: Executor;
  readonly gateway: RunGateway;
  readonly ending: RunEnding;
  readonly progress: RunProgress;
  readonly sink: GroupSink;
  /** Where programs that watch the folder read the progress; nowhere if absent. */
  readonly files?: Pick<DatasetPaths, 'progress' | 'rates'>;
  readonly options: Pick<RunOptions, 'signal' | 'drain' | 'onEvent'> & {
    /** Whether machines of a cluster make the groups. */
    readonly isShared?: boolean;
  };
}

/** Has the groups made, hands each to the sink, and reports the progress. */
export async function takeGroups(groups: Iterable<RowGroup>, making: GroupMaking): Promise<void> {
  const { executor, ending, gateway, progress, sink, options } = making;
  await using file = making.files && new ProgressFile(making.files);
  using _ = reportProgress(progress, (event) => {
    file?.take(event);
    options.onEvent(event);
  });
  const results = executor.run(ending.untilReason(groups), sink.channels);
  // The machines of a cluster drain one after another, then the coordinator replays their unfinished groups.
  const lateMs = options.isShared ? CLUSTER_LATE_MS : GRACE_MS;
  try {
    await untilEnded(sink.take(ending.follow(results)), ending, { ...options, gateway, lateMs });
  } catch (failure) {
    // The failure that ended the run is the one to report.
    await sink.settle(options).catch(() => {});
    throw failure;
  }
}

const CLUSTER_LATE_MS = 5 * GRACE_MS;
