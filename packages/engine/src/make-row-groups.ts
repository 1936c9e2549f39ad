import { DataDesignerError, type Plan, type RowGroup, rowsIn, stoppable } from '@data-designer/core';
import {
  type DatasetFolder,
  type DatasetPaths,
  type PartialGroups,
  type UnusedFolder,
  UsageLog,
} from '@data-designer/dataset';
import { lastRowsOf, type RunGateway } from '@data-designer/gateway';
import { type PreparedTables, prepareTables } from '@data-designer/seeds';
import { recordStart } from './commit/run-metadata.ts';
import { connect } from './connect/connect.ts';
import { droppedTools } from './connect/list-tools.ts';
import { RunEnding } from './endings/run-ending.ts';
import { openExecutor } from './executor/open-executor.ts';
import { reportChangedTools, reportStart } from './progress/report-start.ts';
import { RunProgress } from './progress/run-progress.ts';
import { findStructuredOutput } from './readiness/find-structured-output.ts';
import { checkJournaledAnswers } from './resume/answers-to-rerequest.ts';
import type { PriorRecord } from './resume/continue-run.ts';
import { readJournaledAnswers } from './resume/journaled-answers.ts';
import type { PreviewOptions } from './preview-options.ts';
import type { RunOptions } from './run-options.ts';
import type { RunSummary } from './run-summary.ts';
import { takeGroups } from './take-groups.ts';

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
  const { files: tables, records } = options.keepsTables
    ? storedTables(paths, prior)
    : await tablesOf(planned, { file: paths.table, scratch: paths.scratch, resumable }, options);
  const journaled = await readJournaledAnswers(planned, left, paths);
  const before = {
    frozen: prior?.tools,
    spentBefore: summary.knownCost(planned) + journaled.cost,
    // A bounded run may end anywhere, so it finishes row by row; on a cluster no machine knows which rows are its last.
    last: isBounded(planned, options) || options.machines ? undefined : lastRowsOf(planned, left),
  };
  const limited = { plan: planned, spentBefore: before.spentBefore, admission: options.admission };
  await using cluster = await options.machines?.openLimits(limited);
  await using connection = await connect(planned, { ...options, cluster, onModels: progress.onModels }, before);
  const { gateway } = connection;
  const tools = prior?.tools ?? connection.tools;
  summary.addDroppedTools(await droppedTools(planned, tools));
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
  const { spentBefore } = before;
  const shared = { plan, groups, folder, tables, summary, voided, spentBefore, progress, ending, gateway, options };
  await using machines = await options.machines?.open({ ...shared, local: executor });
  const making = { ...run, ...options, plan, gateway, progress, tables, tools, voided, ending };
  const parts = { ...making, options: { ...options, isShared: machines !== undefined } };
  await takeGroups(groups, { ...parts, executor: machines ?? executor });
  return { plan, ended: ending.reason, failure: ending.failure };
}

/** The seed tables of the run before. */
function storedTables({ table }: DatasetPaths, prior: StartedRun['prior']): PreparedTables {
  const records = prior?.tables ?? [];
  return { files: records.map(({ id, rows }) => ({ id, rows, path: table(id) })), records };
}

/** Prepares the seed tables in the run's order; a stop ends that at once and leaves the folder as it was. */
export function tablesOf(
  plan: Plan,
  target: Parameters<typeof prepareTables>[1],
  options: PreviewOptions & Pick<RunOptions, 'tableRows'>,
): Promise<PreparedTables> {
  const run = { rows: Math.max(rowsIn(plan.segments), options.tableRows ?? 0), seed: plan.seed };
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

/** The failure of a run without a row. */
export function noRows(plan: Plan, { lost, removedRows: removed }: RunSummary): DataDesignerError {
  const [most] = lost;
  const rows = rowsIn(plan.segments);
  if (removed > 0) return new DataDesignerError('run/no-rows', { rows, removed, isWholeColumn: false });
  if (!most) return new DataDesignerError('run/no-rows', { rows, isWholeColumn: false });
  const ofColumn = lost.filter(({ column }) => column === most.column);
  const isWholeColumn = most.column !== '' && ofColumn.reduce((sum, one) => sum + one.rows, 0) === rows;
  return new DataDesignerError('run/no-rows', { rows, most, isWholeColumn });
}
