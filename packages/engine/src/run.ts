import {
  DataDesignerError,
  NEVER,
  type Plan,
  refuseStopped,
  type RowGroup,
  rowsIn,
  stoppable,
  untilStopped,
} from '@data-designer/core';
import { lastRowsOf, type RunGateway } from '@data-designer/gateway';
import {
  type DatasetFolder,
  mergeBatches,
  mergeSideFiles,
  openDatasetFolder,
  type PartialGroups,
  type RunRecord,
  settleChecksums,
  sideTables,
  UnusedFolder,
  UsageLog,
} from '@data-designer/dataset';
import { type PreparedTables, prepareTables, type TableFile } from '@data-designer/seeds';
import { processDataset, refuseTerminal, replaceDamagedMetadata } from './commit/process-dataset.ts';
import { cutWarnings } from './progress/answer-flaws.ts';
import { connect, type Connection } from './connect/connect.ts';
import { ThreadExecutor } from './executor/thread-executor.ts';
import { endOf, GRACE_MS, RunEnding } from './endings/run-ending.ts';
import { untilEnded } from './endings/until-ended.ts';
import { GroupCommits } from './commit/group-commits.ts';
import { groupsLeft, planOf } from './resume/continue-run.ts';
import { findStructuredOutput } from './readiness/find-structured-output.ts';
import { RunProgress } from './progress/run-progress.ts';
import { reportProgress } from './progress/report-progress.ts';
import { recordProgress, recordStart } from './commit/run-metadata.ts';
import { reportChangedTools, reportFolder, reportStart } from './progress/report-start.ts';
import type { RunOptions } from './run-options.ts';
import type { ResumedGroup } from './row-group/group-context.ts';
import type { RowGroupResult } from './row-group/row-group-result.ts';
import { RunSummary } from './run-summary.ts';
import { findAnswersToRerequest } from './resume/answers-to-rerequest.ts';
import { readJournaledAnswers } from './resume/journaled-answers.ts';

/** What a run made, and where. */
export interface RunResult {
  readonly path: string;
  readonly datasetName: string;
  /** The folder that was asked for, where another dataset stands there; undefined where `path` is it. */
  readonly divertedFrom?: string | undefined;
  readonly plan: Plan;
  readonly summary: RunSummary;
  /** Why the run ended before all rows were made; undefined where it came to its end. */
  readonly ended: DataDesignerError | undefined;
}

/** Carries a plan out: folder, outside, row groups on threads, one commit for each. */
export async function run(fresh: Plan, options: RunOptions): Promise<RunResult> {
  refuseStopped(options);
  const started = performance.now();
  await using folder = await openDatasetFolder({ ...options, resume: options.resume === 'always' });
  await using unused = new UnusedFolder(folder.path, { wasThere: options.resume === 'always' || folder.isReused });
  reportFolder(folder, options);
  const { plan: planned, prior } = await planOf(fresh, folder, options);
  if (options.resume === 'always') await replaceDamagedMetadata(folder, prior?.plan ?? planned, options);
  if (prior) await refuseTerminal(folder, planned);
  const summary = new RunSummary();
  const { left, partial } = await groupsLeft(planned, { folder, summary, prior, options });
  const begun = { folder, unused, summary, prior, partial, options };
  const { plan, ended, failure } = left.length > 0 ? await makeGroups(planned, left, begun) : { plan: planned };
  const isMade = summary.rows > 0;
  if (isMade && !ended) {
    const signal = AbortSignal.any([options.signal, options.drain]);
    summary.settleRows((await processDataset(folder, plan, { ...options, signal })) ?? summary.rows);
  }
  if (options.compact ?? true) await merge(folder, plan, options);
  await recordProgress(folder, { plan, summary });
  if (failure) throw failure;
  if (ended?.code === 'run/aborted') throw ended;
  if (!isMade) throw ended ?? noRows(plan, summary);
  const elapsedMs = performance.now() - started;
  options.onEvent({ type: 'run-end', rows: summary.rows, elapsedMs, ended: endOf(ended) });
  return { path: folder.path, datasetName: folder.name, divertedFrom: folder.divertedFrom, plan, summary, ended };
}

/** A run whose folder is open and whose plan is settled. */
interface BegunRun {
  readonly folder: DatasetFolder;
  readonly unused: UnusedFolder;
  readonly summary: RunSummary;
  readonly prior: RunRecord | undefined;
  /** Row groups that an earlier run has left unfinished. */
  readonly partial: PartialGroups;
  readonly options: RunOptions;
}

/** Merges small files. A dataset whose files cannot be merged, as the disk is full, is as good as another. */
async function merge(folder: DatasetFolder, plan: Plan, { format, onEvent }: RunOptions): Promise<void> {
  // The file of a group that is made again must be found by its name.
  if ((await folder.partialGroups()).length > 0) return;
  try {
    await mergeBatches(folder.paths, { format });
    for (const table of sideTables(plan)) await mergeSideFiles(folder.paths, table, format);
    await settleChecksums(folder.paths, sideTables(plan));
  } catch (thrown) {
    onEvent({ type: 'merge-fail', reason: DataDesignerError.fromUnknown(thrown).message });
  }
}

/** What became of the making of row groups: the plan with what was learned at the start, and why some are not made. */
interface MadeGroups {
  readonly plan: Plan;
  readonly ended?: DataDesignerError | undefined;
  /** The same, where it is a failure that every row would have met. */
  readonly failure?: DataDesignerError | undefined;
}

/** Makes the row groups that are left. */
async function makeGroups(planned: Plan, left: readonly RowGroup[], begun: BegunRun): Promise<MadeGroups> {
  const { folder, summary, prior, partial, options } = begun;
  using ending = new RunEnding(options.ends, partial);
  const progress = new RunProgress(planned, { summary, groups: left });
  const onProgress = ending.tapped(progress.listeners.onProgress);
  await using executor = new ThreadExecutor(planned, { groups: left.length, ...options, onProgress });
  const tables = await tablesOf(planned, begun);
  const kept = await readJournaledAnswers(planned, left, folder.paths);
  await using outside = await connect(
    planned,
    { ...options, ...progress.listeners },
    {
      frozen: prior?.tools,
      spentBefore: summary.knownCost(planned) + kept.cost,
      // A run that is bounded leaves whole rows where that meets it.
      last: isBounded(planned, options) ? undefined : lastRowsOf(planned, left),
    },
  );
  const plan = await learn(planned, outside, begun);
  const { voided, groups } = await voidAnswers(plan, kept.groups, {
    executor,
    outside,
    tables: tables.files,
    begun,
    progress,
  });
  await recordBegin(plan, { outside, tables, begun });
  reportStart(plan, { folder, summary, groups: left.length, options });
  reportChangedTools(prior, outside, options);

  const { gateway } = outside;
  const { format, onEvent } = options;
  const warnOfCuts = cutWarnings(onEvent);
  using _ = reportProgress(progress, (snapshot) => {
    onEvent({ type: 'progress', snapshot });
    warnOfCuts(snapshot.flaws);
  });
  const { files } = tables;
  const commits = new GroupCommits({
    plan,
    folder,
    gateway,
    summary,
    progress,
    format,
    tables: files,
    tools: prior?.tools ?? outside.tools,
    voided,
    partial,
    onEvent,
  });
  const work = commits.take(ending.follow(executor.run(ending.before(groups), commits.channels)));
  try {
    await untilEnded(work, ending, { gateway, ...options });
  } catch (failure) {
    await keepWhatCame({ commits, gateway, options });
    throw failure;
  }
  return { plan, ended: ending.reason, failure: ending.failure };
}

/** The plan with what its endpoints can do; what asking them took is counted, and on disk before the run begins. */
async function learn(plan: Plan, { gateway }: Connection, { folder, summary, options }: BegunRun): Promise<Plan> {
  const learned = await findStructuredOutput(plan, gateway, options);
  await new UsageLog(folder.paths.usage).add(null, learned);
  summary.addUsage(learned);
  return learned.plan;
}

/** Whether money or time may end a run before its rows are made. */
function isBounded({ maxCost }: Plan, { ends }: RunOptions): boolean {
  return maxCost !== null || ends.maxDurationSeconds !== null;
}

/** What journals are looked at with. */
interface LookParts {
  readonly executor: ThreadExecutor;
  readonly outside: Connection;
  readonly tables: readonly TableFile[];
  readonly begun: BegunRun;
  readonly progress: RunProgress;
}

/** Says which answers of earlier runs are void, by row group, and gives the groups with their failed cells; throws `journal/void` unless they are to be bought again. */
async function voidAnswers(
  plan: Plan,
  groups: readonly ResumedGroup[],
  { executor, outside: { gateway }, tables, begun, progress }: LookParts,
): Promise<{ readonly voided: ReadonlyMap<number, number>; readonly groups: readonly ResumedGroup[] }> {
  const { folder, prior, options } = begun;
  if (!prior) return { voided: new Map(), groups };
  const onMade = (result: RowGroupResult) => progress.addJournaled(result);
  const redact = gateway.redact.bind(gateway);
  const parts = { executor, redact, paths: folder.paths, tables, tools: prior.tools, onMade };
  const finding = findAnswersToRerequest(plan, groups, parts);
  const { byGroup: voided, groups: known, ...found } = await untilStopped(finding, options, () => Promise.resolve());
  if (found.answers === 0) return { voided, groups: known };
  if (!options.rebuy) throw new DataDesignerError('journal/void', { path: folder.path, ...found });
  options.onEvent({ type: 'journal-void', ...found });
  return { voided, groups: known };
}

/** Writes what a later resume must find the same; from here on the folder holds something of worth. */
async function recordBegin(
  plan: Plan,
  { outside, tables, begun }: { outside: Connection; tables: PreparedTables; begun: BegunRun },
): Promise<void> {
  const { folder, unused, prior, options } = begun;
  const { format, document } = options;
  await recordStart(folder, { plan, format, tools: prior?.tools ?? outside.tools, tables: tables.records }, document);
  unused.keep();
}

/** The tables beside the run, brought into its order; a stop ends that at once, and leaves what was there before. */
function tablesOf(plan: Plan, { folder, prior, options }: BegunRun): Promise<PreparedTables> {
  const { path, paths } = folder;
  const places = { file: paths.table, scratch: paths.scratch, kept: { path, prior: prior?.tables ?? [] } };
  const whole = { rows: rowsIn(plan.segments), seed: plan.seed };
  return stoppable((signal) => prepareTables(options.tables, places, { run: whole, signal }), options);
}

/**
 * A run that ends with a failure keeps what is paid for: the answers under way come into their journals first, unless it
 * was stopped, and the groups that are committed are counted.
 */
async function keepWhatCame({
  commits,
  gateway,
  options,
}: {
  commits: GroupCommits;
  gateway: RunGateway;
  options: RunOptions;
}): Promise<void> {
  try {
    const { signal, drain: drained } = options;
    if (!signal.aborted) {
      const signals = { signal, drain: drained.aborted ? NEVER : drained };
      await untilStopped(gateway.drain(GRACE_MS), signals, async () => {}).catch(() => {});
    }
    await commits.settle();
  } catch {
    // The failure that ended the run is the one to be told.
  }
}

/** What is said when no row was made. */
export function noRows(plan: Plan, { lost }: RunSummary): DataDesignerError {
  const [first] = lost;
  const where = first?.column ? `column '${first.column}': ` : '';
  const cause = first ? `${where}${first.message}` : 'an earlier run lost them all.';
  return new DataDesignerError('run/no-rows', { rows: rowsIn(plan.segments), cause });
}
