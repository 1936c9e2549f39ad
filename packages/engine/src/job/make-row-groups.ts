import { type Plan, type RowGroup, rowsIn, stoppable } from '@data-designer/core';
import {
  type DatasetPaths,
  type FrozenTools,
  type LoggedCounts,
  type PartialGroups,
  type RunRecord,
} from '@data-designer/dataset';
import { lastRowsOf } from '@data-designer/gateway';
import { type PreparedTables, prepareTables } from '@data-designer/seeds';
import type { CommitParts } from '../commit/group-commits.ts';
import { connect, type Connection } from '../connect/connect.ts';
import { droppedTools } from '../connect/list-tools.ts';
import { RunEnding } from '../endings/run-ending.ts';
import type { Executor } from '../executor/executor.ts';
import { openExecutor } from '../executor/open-executor.ts';
import type { SharedRun } from '../machines/run-machines.ts';
import type { PreviewOptions } from '../preview-options.ts';
import { reportChangedTools } from '../progress/report-start.ts';
import { endProgress } from '../progress/progress-file.ts';
import { RunProgress } from '../progress/run-progress.ts';
import { findStructuredOutput } from '../readiness/find-structured-output.ts';
import type { PriorRecord } from '../resume/continue-run.ts';
import { readJournaledAnswers } from '../resume/journaled-answers.ts';
import type { RowGroupResult } from '../row-group/row-group-result.ts';
import type { RunOptions } from '../run-options.ts';
import { isAwaited } from '../row-group/awaited-group.ts';
import type { RunSummary } from '../run-summary.ts';
import type { MadeRows } from './row-source.ts';
import type { GroupSink } from '../executor/executor.ts';
import { takeGroups } from './take-groups.ts';

/** What the sink of a job's row groups uses, beside the folder. */
export type SinkParts = Omit<CommitParts, 'folder' | 'format'>;

/** A run that is about to make its row groups, without its folder. */
type SharedRows = Omit<SharedRun, 'folder' | 'options'>;

/** A dataset or a preview whose rows an executor makes. */
export interface ExecutorJob {
  readonly plan: Plan;
  readonly prior: PriorRecord | undefined;
  readonly summary: RunSummary;
  /** Where seed tables and journals lie. */
  readonly paths: DatasetPaths;
  readonly options: PreviewOptions &
    Pick<RunOptions, 'onEvent' | 'reRequest' | 'tableRows' | 'keepsTables' | 'machines'>;
  /** The row groups to make, and those of them that an earlier run left unfinished. */
  readonly left: () => Promise<{ readonly left: readonly RowGroup[]; readonly partial: PartialGroups }>;
  /** Stores usage that belongs to no row group. */
  readonly addUsage: (usage: LoggedCounts) => Promise<void>;
  /** Records what a resume must find unchanged, once nothing stands in the way of the first request. */
  readonly begin: (record: Pick<RunRecord, 'plan' | 'tools' | 'tables'>, groups: number) => Promise<void>;
  /** The executor that has the groups made on several machines; undefined on this machine alone. */
  readonly share: (rows: SharedRows) => Promise<Executor | undefined>;
  readonly sink: (parts: SinkParts) => GroupSink;
  /** Whether programs that watch the folder may read its progress there. */
  readonly hasWatchers: boolean;
}

/** Makes the row groups that are left: starts threads and gateway, checks the journals, and has each group made. */
export async function makeRowGroups(job: ExecutorJob): Promise<MadeRows> {
  const { plan: planned, prior, summary, paths, options } = job;
  const { left, partial } = await job.left();
  if (left.length === 0) {
    if (job.hasWatchers) await endProgress(paths);
    return { plan: planned, summary, isComplete: summary.rows > 0 };
  }
  using ending = new RunEnding(options.ends, partial);
  const progress = new RunProgress(planned, { summary, groups: left });
  const onProgress = ending.observing(progress.onProgress);
  await using executor = openExecutor(planned, { groups: left.length, ...options, onProgress });
  const { files: tables, records } = await tablesOf(job);
  const journaled = await readJournaledAnswers(planned, left, { paths, partial });
  const areRead = isAwaited(options.observer?.readers);
  const before = {
    frozen: prior?.tools,
    spentBefore: summary.knownCost(planned) + journaled.cost,
    // A bounded run may end anywhere, so it finishes row by row; on a cluster no machine knows which rows are its last.
    last: isBounded(planned, options) || options.machines ? undefined : lastRowsOf(planned, left, { areRead }),
  };
  const limited = { plan: planned, spentBefore: before.spentBefore, admission: options.admission };
  await using cluster = await options.machines?.openLimits(limited);
  await using connection = await connect(planned, { ...options, cluster, onModels: progress.onModels }, before);
  const { gateway } = connection;
  const tools = prior?.tools ?? connection.tools;
  summary.addDroppedTools(await droppedTools(planned, tools));
  const plan = await learn(job, connection);
  const redact = gateway.redact.bind(gateway);
  const replayed = new Map<number, RowGroupResult>();
  const onMade = (result: RowGroupResult): void => {
    if (partial.get(result.group)?.again) replayed.set(result.group, result);
    progress.addJournaled(result);
  };
  const replay = { executor, redact, paths, tables, tools, onMade };
  const { voided, groups: checked } = prior
    ? await (
        await import('../resume/answers-to-rerequest.ts')
      ).checkJournaledAnswers(plan, journaled.groups, {
        replay,
        options,
      })
    : { voided: new Map<number, number>(), groups: journaled.groups };
  const groups = checked.some(({ again }) => again)
    ? await (await import('../resume/rows-again.ts')).withSpent(checked, replayed, { paths, partial })
    : checked;
  await job.begin({ plan, tools: tools satisfies FrozenTools, tables: records }, groups.length);
  reportChangedTools(prior, connection, options);
  const { spentBefore } = before;
  const shared = { plan, groups, tables, summary, voided, spentBefore, progress, ending, gateway, local: executor };
  await using machines = await job.share(shared);
  const { onEvent, observer } = options;
  const sink = job.sink({ plan, gateway, summary, progress, tables, tools, voided, partial, onEvent, observer });
  const made = { ending, gateway, progress, sink, options: { ...options, isShared: machines !== undefined } };
  const files = job.hasWatchers ? { files: paths } : {};
  await takeGroups(groups, { ...made, ...files, executor: machines ?? executor });
  const { reason: ended, failure } = ending;
  return { plan, summary, isComplete: summary.rows > 0 && !ended, ended, failure };
}

/** Prepares the seed tables in the run's order; a stop ends that at once and leaves the folder as it was. */
async function tablesOf({ plan, prior, paths, options }: ExecutorJob): Promise<PreparedTables> {
  const { table: file, scratch, folder: path } = paths;
  if (options.keepsTables) {
    const records = prior?.tables ?? [];
    return { files: records.map(({ id, rows }) => ({ id, rows, path: file(id) })), records };
  }
  const target = { file, scratch, resumable: { path, prior: prior?.tables ?? [] } };
  const run = { rows: Math.max(rowsIn(plan.segments), options.tableRows ?? 0), seed: plan.seed };
  return stoppable((signal) => prepareTables(options.tables, target, { run, signal }), options);
}

/** Adds what the endpoints can do to the plan; the usage of asking them is counted and stored before the run begins. */
async function learn({ plan, summary, options, addUsage }: ExecutorJob, { gateway }: Connection): Promise<Plan> {
  const learned = await findStructuredOutput(plan, gateway, options);
  await addUsage(learned);
  summary.addUsage(learned);
  return learned.plan;
}

/** Whether money or time may end the run before its rows are made. */
function isBounded({ maxCost }: Plan, { ends }: PreviewOptions): boolean {
  return maxCost !== null || ends.maxDurationSeconds !== null;
}
