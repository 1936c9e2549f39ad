import { DataDesignerError, isFields, NEVER } from '@data-designer/core';
import { readJsonFile, readPartialGroups, stageOfRun } from '@data-designer/dataset';
import { files } from '@data-designer/dataset/journal';
import {
  attemptFigures,
  endOf,
  EnoughRows,
  type FinishOptions,
  GroupCommits,
  type Job,
  type MadeRows,
  madeRows,
  RunEnding,
  type RunOptions,
  RunProgress,
  RunSummary,
  takeGroups,
  takeOverJob,
} from '@data-designer/engine/parts';
import { continueProgress, coordinate, endRun, readEnding } from '../coordinator/coordinate.ts';
import { CoordinatorLease } from '../coordinator/coordinator-lease.ts';
import { isStepOfSelection } from './find-runs.ts';
import type { JoinedMachine } from './joined-machine.ts';

/**
 * Coordinates a run whose coordinator is lost or has left, from what the folder holds, and finishes the dataset. Throws
 * `cluster/handed-over` and `cluster/taken-over` when another machine goes on.
 */
export async function leadRun(joined: JoinedMachine): Promise<void> {
  const { machine, opened, found, stored, parts } = joined;
  const { record, run, paths } = found;
  const { state } = opened;
  await using lease = new CoordinatorLease(machine.id, opened);
  const options = {
    ...parts,
    format: stored.format,
    // This machine leaves the run when it is drained; it does not end it.
    drain: NEVER,
    compact: record.compact,
    ends: record.ends,
  };
  await using job = await takeOverJob({ path: paths.folder, run, record: stored, options });
  const { folder } = job;
  lease.hold(folder);
  const stage = await stageOfRun(paths, opened.cluster);
  // The coordinator was only slow, and has finished the run meanwhile.
  if (stage === 'over') return;
  // The lost coordinator may have begun to end the run.
  const reason = await readEnding(opened.cluster);
  if (reason) parts.onEnding(reason);
  const { ended, elapsedMs, summary } = await folder.whileHeld(() =>
    stage === 'made' ? completeRows(job, reason) : makeNeeded(joined, { job, lease, reason }),
  );
  await endRun(paths, { lease, state, run });
  if (ended) parts.onEnding(ended);
  const { rows, findings } = summary;
  const attempts = stored.plan.attempts && { attempts: attemptFigures(stored.plan, summary) };
  parts.onEvent({ type: 'run-end', ...findings, rows, elapsedMs, ended: endOf(ended), ...attempts });
}

/** Has the other rows made; in a step of a selection, those that are needed. */
async function makeNeeded(joined: JoinedMachine, led: Lead): Promise<Ended> {
  const { found, parts } = joined;
  using enough = (await isStepOfSelection(found)) ? await enoughIn(found.paths.folder) : undefined;
  const watching = enough ? { drain: enough.signal, onEvent: enough.watching(parts.onEvent) } : {};
  return await makeRows(joined, { ...led, watching });
}

/** What ends a step of a selection; undefined if this machine cannot decide candidates, and so has all of the step made. */
async function enoughIn(candidates: string): Promise<EnoughRows | undefined> {
  try {
    return await EnoughRows.open(candidates);
  } catch (failure) {
    if (failure instanceof DataDesignerError) return undefined;
    throw failure;
  }
}

/** Completes a dataset whose rows are made. */
async function completeRows(job: TakenJob, reason: DataDesignerError | undefined): Promise<Ended> {
  await job.make(madeRows({ isEnded: reason !== undefined }));
  const { summary } = await job.finish();
  // The lost coordinator wrote it while rows were made.
  await files().unlink(job.folder.paths.progress);
  return { summary, elapsedMs: performance.now() - job.startedAt, ended: undefined };
}

/** How a run has ended. */
interface Ended extends Pick<MadeRows, 'summary' | 'ended'> {
  readonly elapsedMs: number;
}

/** A job in the place of a lost coordinator. */
type TakenJob = Job<FinishOptions & Pick<RunOptions, 'ends'>>;

/** What this machine has as the coordinator. */
interface Lead {
  readonly job: TakenJob;
  readonly lease: CoordinatorLease;
  /** Why the run is ending already. */
  readonly reason: DataDesignerError | undefined;
  /** How a step of a selection ends once there are enough rows. */
  readonly watching?: Partial<Pick<RunOptions, 'drain' | 'onEvent'>>;
}

/** Has the other rows made, and finishes the dataset. */
async function makeRows(joined: JoinedMachine, led: Lead): Promise<Ended> {
  const { found } = joined;
  const { job, watching } = led;
  const before = await elapsedOf(found.paths.progress);
  const startedAt = performance.now();
  await job.make({ make: () => rowsOfMachines(joined, { ...led, elapsedMs: before }) });
  const { summary, ended } = await job.finish();
  const elapsedMs = before + performance.now() - startedAt;
  return { summary, elapsedMs, ended: watching?.drain?.aborted ? undefined : ended };
}

/** The rows that the machines of the run make, of which this one is the coordinator from now on. */
async function rowsOfMachines(
  joined: JoinedMachine,
  { job, lease, reason, watching, elapsedMs }: Lead & { readonly elapsedMs: number },
): Promise<MadeRows> {
  const { machine, opened, found, stored, groups, local, gateway, listeners, parts } = joined;
  const { record, paths } = found;
  const { plan, format, tools } = stored;
  const { folder } = job;
  const options = { ...job.options, ...watching, isShared: true };
  const summary = RunSummary.from(record.summary);
  const partial = await readPartialGroups(paths);
  using ending = new RunEnding(timeLeft(record.ends, elapsedMs), partial);
  const progress = new RunProgress(plan, { summary, groups });
  const onProgress = ending.observing(progress.onProgress);
  listeners.onProgress.add(onProgress);
  listeners.onModels.add(progress.onModels);
  progress.watchRedis(() => opened.link.watch.away);
  if (reason) ending.end(reason);
  const voided = new Map(record.voided);
  const coordinated = { paths, progress, ending, local, voided, lease, leave: parts.drain, works: true };
  await using executor = coordinate(machine, opened, coordinated);
  continueProgress(progress, machine, groups);
  const tables = machine.channels?.tables ?? [];
  const { onEvent } = options;
  const commits = { plan, folder, format, gateway, summary, progress, tables, tools, voided, partial, onEvent };
  const sink = new GroupCommits(commits);
  await takeGroups(groups, { executor, gateway, ending, progress, sink, files: paths, options });
  // The lost coordinator was the only one to write them.
  await folder.clearTemporary();
  return { plan, summary, isComplete: summary.rows > 0 && !ending.reason, ended: ending.reason };
}

/** How long the run has taken so far, as the lost coordinator reported; 0 if it did not. */
async function elapsedOf(path: string): Promise<number> {
  const stored = await readJsonFile(path, { exact: false }).catch(() => undefined);
  const snapshot = isFields(stored) ? stored.snapshot : undefined;
  return isFields(snapshot) && typeof snapshot.elapsedMs === 'number' ? snapshot.elapsedMs : 0;
}

function timeLeft<Ends extends { readonly maxDurationSeconds: number | null }>(ends: Ends, elapsedMs: number): Ends {
  const { maxDurationSeconds: seconds } = ends;
  return seconds === null ? ends : { ...ends, maxDurationSeconds: Math.max(0, seconds - elapsedMs / 1000) };
}
