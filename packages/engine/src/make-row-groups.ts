import {
  DataDesignerError,
  NEVER,
  type Plan,
  type RowGroup,
  rowsIn,
  stoppable,
  untilStopped,
} from '@data-designer/core';
import { type DatasetFolder, type PartialGroups, type UnusedFolder, UsageLog } from '@data-designer/dataset';
import { lastRowsOf, type RunGateway } from '@data-designer/gateway';
import { type PreparedTables, prepareTables } from '@data-designer/seeds';
import { GroupCommits } from './commit/group-commits.ts';
import { recordStart } from './commit/run-metadata.ts';
import { connect } from './connect/connect.ts';
import { GRACE_MS, RunEnding } from './endings/run-ending.ts';
import { untilEnded } from './endings/until-ended.ts';
import { openExecutor } from './executor/open-executor.ts';
import { reportProgress } from './progress/report-progress.ts';
import { reportChangedTools, reportStart } from './progress/report-start.ts';
import { RunProgress } from './progress/run-progress.ts';
import { findStructuredOutput } from './readiness/find-structured-output.ts';
import { checkJournaledAnswers } from './resume/answers-to-rerequest.ts';
import type { PriorRecord } from './resume/continue-run.ts';
import { readJournaledAnswers } from './resume/journaled-answers.ts';
import type { PreviewOptions, RunOptions } from './run-options.ts';
import type { RunSummary } from './run-summary.ts';

/** A run whose folder is open and whose plan is settled. */
export interface StartedRun {
  readonly folder: DatasetFolder;
  readonly unused: UnusedFolder;
  readonly summary: RunSummary;
  readonly prior: PriorRecord | undefined;
  /** Row groups that an earlier run left unfinished. */
  readonly partial: PartialGroups;
  readonly options: RunOptions;
}

/** The plan with what the run learned of its endpoints, and why rows are missing. */
export interface MadeRowGroups {
  readonly plan: Plan;
  readonly ended?: DataDesignerError | undefined;
  /** The same, where it is a failure that every row would have met. */
  readonly failure?: DataDesignerError | undefined;
}

/** Makes the row groups that are left: starts threads and gateway, checks the journals, runs and commits each group. */
export async function makeRowGroups(planned: Plan, left: readonly RowGroup[], run: StartedRun): Promise<MadeRowGroups> {
  const { folder, summary, prior, partial, options } = run;
  const { path, paths } = folder;
  using ending = new RunEnding(options.ends, partial);
  const progress = new RunProgress(planned, { summary, groups: left });
  const onProgress = ending.observing(progress.onProgress);
  await using executor = openExecutor(planned, { groups: left.length, ...options, onProgress });
  const resumable = { path, prior: prior?.tables ?? [] };
  const { files: tables, records } = await tablesOf(
    planned,
    { file: paths.table, scratch: paths.scratch, resumable },
    options,
  );
  const journaled = await readJournaledAnswers(planned, left, paths);
  await using connection = await connect(
    planned,
    { ...options, onModels: progress.onModels },
    {
      frozen: prior?.tools,
      spentBefore: summary.knownCost(planned) + journaled.cost,
      // A bounded run may end anywhere, so it finishes row by row.
      last: isBounded(planned, options) ? undefined : lastRowsOf(planned, left),
    },
  );
  const { gateway } = connection;
  const tools = prior?.tools ?? connection.tools;
  const plan = await learn(planned, gateway, run);
  const redact = gateway.redact.bind(gateway);
  const onMade = progress.addJournaled.bind(progress);
  const replay = { executor, redact, paths, tables, tools, onMade };
  const { voided, groups } = prior
    ? await checkJournaledAnswers(plan, journaled.groups, { replay, options })
    : { voided: new Map<number, number>(), groups: journaled.groups };
  await recordStart(folder, { plan, format: options.format, tools, tables: records }, options.document);
  run.unused.keep();
  reportStart(plan, { path, rowsDone: summary.finishedRows, groups: left.length }, options);
  reportChangedTools(prior, connection, options);
  using _ = reportProgress(progress, options.onEvent);
  const commits = new GroupCommits({ ...run, ...options, plan, gateway, progress, tables, tools, voided });
  const results = executor.run(ending.untilReason(groups), commits.channels);
  try {
    await untilEnded(commits.take(ending.follow(results)), ending, { gateway, ...options });
  } catch (failure) {
    await commitReceived(commits, gateway, options);
    throw failure;
  }
  return { plan, ended: ending.reason, failure: ending.failure };
}

/** Prepares the seed tables in the run's order; a stop ends that at once and leaves the folder as it was. */
export function tablesOf(
  plan: Plan,
  target: Parameters<typeof prepareTables>[1],
  options: PreviewOptions,
): Promise<PreparedTables> {
  const run = { rows: rowsIn(plan.segments), seed: plan.seed };
  return stoppable((signal) => prepareTables(options.tables, target, { run, signal }), options);
}

/** Adds what the endpoints can do to the plan; the usage of asking them is counted and on disk before the run begins. */
async function learn(plan: Plan, gateway: RunGateway, { folder, summary, options }: StartedRun): Promise<Plan> {
  const learned = await findStructuredOutput(plan, gateway, options);
  await new UsageLog(folder.paths.usage).add(null, learned);
  summary.addUsage(learned);
  return learned.plan;
}

/** Whether money or time may end the run before its rows are made. */
function isBounded({ maxCost }: Plan, { ends }: RunOptions): boolean {
  return maxCost !== null || ends.maxDurationSeconds !== null;
}

/** After a failure: waits for paid answers to reach their journals, unless the run was stopped, and counts the committed groups. */
async function commitReceived(
  commits: GroupCommits,
  gateway: RunGateway,
  { signal, drain }: RunOptions,
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

/** The failure of a run without a row. */
export function noRows(plan: Plan, { lost }: RunSummary): DataDesignerError {
  const [most] = lost;
  const rows = rowsIn(plan.segments);
  if (!most) return new DataDesignerError('run/no-rows', { rows, isWholeColumn: false });
  const ofColumn = lost.filter(({ column }) => column === most.column);
  const isWholeColumn = most.column !== '' && ofColumn.reduce((sum, one) => sum + one.rows, 0) === rows;
  return new DataDesignerError('run/no-rows', { rows, most, isWholeColumn });
}
