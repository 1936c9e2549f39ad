import { DataDesignerError, isFields, NEVER } from '@data-designer/core';
import {
  type DatasetFolder,
  readJsonFile,
  readPartialGroups,
  type RunRecord,
  stageOfRun,
  takeOverFolder,
} from '@data-designer/dataset';
import { files } from '@data-designer/dataset/journal';
import type { RunFindings } from '@data-designer/engine';
import {
  completeDataset,
  endOf,
  EnoughRows,
  finishDataset,
  RunEnding,
  type RunOptions,
  RunProgress,
  RunSummary,
  type TakenRun,
  takeGroups,
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
  await using folder = await takeOverFolder(paths.folder, run);
  lease.hold(folder);
  const options = {
    ...parts,
    format: stored.format,
    // This machine leaves the run when it is drained; it does not end it.
    drain: NEVER,
    compact: record.compact,
    ends: record.ends,
    isShared: true,
  };
  const stage = await stageOfRun(paths, opened.cluster);
  // The coordinator was only slow, and has finished the run meanwhile.
  if (stage === 'over') return;
  // The lost coordinator may have begun to end the run.
  const reason = await readEnding(opened.cluster);
  if (reason) parts.onEnding(reason);
  const ended = await folder.whileHeld(() =>
    stage === 'made'
      ? completeRows(folder, stored, { ...options, isEnded: reason !== undefined })
      : makeNeeded(joined, { folder, lease, reason, options }),
  );
  await endRun(paths, { lease, state, run });
  if (ended.ended) parts.onEnding(ended.ended);
  parts.onEvent({ type: 'run-end', ...ended, ended: endOf(ended.ended) });
}

/** Has the other rows made; in a step of a selection, those that are needed. */
async function makeNeeded(joined: JoinedMachine, { options, ...led }: Lead): Promise<Ended> {
  const { found } = joined;
  using enough = (await isStepOfSelection(found)) ? await enoughIn(found.paths.folder) : undefined;
  if (!enough) return makeRows(joined, { ...led, options });
  const { signal: drain } = enough;
  return await makeRows(joined, { ...led, options: { ...options, drain, onEvent: enough.watching(options.onEvent) } });
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
async function completeRows(
  folder: DatasetFolder,
  stored: RunRecord,
  options: Parameters<typeof completeDataset>[2],
): Promise<Ended> {
  const startedAt = performance.now();
  const summary = await completeDataset(folder, stored, options);
  // The lost coordinator wrote it while rows were made.
  await files().unlink(folder.paths.progress);
  const { rows, findings } = summary;
  return { ...findings, rows, elapsedMs: performance.now() - startedAt, ended: undefined };
}

/** How a run has ended. */
interface Ended extends RunFindings {
  readonly rows: number;
  readonly elapsedMs: number;
  readonly ended: DataDesignerError | undefined;
}

/** What this machine has as the coordinator. */
interface Lead {
  readonly folder: DatasetFolder;
  readonly lease: CoordinatorLease;
  /** Why the run is ending already. */
  readonly reason: DataDesignerError | undefined;
  readonly options: TakenRun['options'] & Parameters<typeof finishDataset>[2] & Pick<RunOptions, 'ends'>;
}

/** Has the other rows made, and finishes the dataset. */
async function makeRows(joined: JoinedMachine, { folder, lease, reason, options }: Lead): Promise<Ended> {
  const { machine, opened, found, stored, groups, local, gateway, listeners, parts } = joined;
  const { record, paths } = found;
  const { plan, format, tools } = stored;
  const summary = RunSummary.from(record.summary);
  const partial = await readPartialGroups(paths);
  const elapsedMs = await elapsedOf(paths.progress);
  using ending = new RunEnding(timeLeft(record.ends, elapsedMs), partial);
  const progress = new RunProgress(plan, { summary, groups });
  const voided = new Map(record.voided);
  const onProgress = ending.observing(progress.onProgress);
  listeners.onProgress.add(onProgress);
  listeners.onModels.add(progress.onModels);
  progress.watchRedis(() => opened.link.watch.away);
  if (reason) ending.end(reason);
  const leave = parts.drain;
  const led = { paths, progress, ending, local, voided, lease, leave, works: true };
  await using executor = coordinate(machine, opened, led);
  continueProgress(progress, machine, groups);
  await takeGroups(groups, {
    plan,
    folder,
    gateway,
    summary,
    progress,
    format,
    tools,
    voided,
    partial,
    executor,
    ending,
    options,
    tables: machine.channels?.tables ?? [],
    onEvent: options.onEvent,
  });
  // The lost coordinator was the only one to write them.
  await folder.clearTemporary();
  const isComplete = summary.rows > 0 && !ending.reason;
  await finishDataset(folder, { plan, summary, isComplete }, options);
  return {
    ...summary.findings,
    rows: summary.rows,
    elapsedMs: elapsedMs + progress.snapshot().elapsedMs,
    ended: options.drain.aborted ? undefined : ending.reason,
  };
}

/** How long the run has taken so far, as the lost coordinator reported; 0 if it did not. */
async function elapsedOf(path: string): Promise<number> {
  const told = await readJsonFile(path, { exact: false }).catch(() => undefined);
  const snapshot = isFields(told) ? told.snapshot : undefined;
  return isFields(snapshot) && typeof snapshot.elapsedMs === 'number' ? snapshot.elapsedMs : 0;
}

function timeLeft<Ends extends { readonly maxDurationSeconds: number | null }>(ends: Ends, elapsedMs: number): Ends {
  const { maxDurationSeconds: seconds } = ends;
  return seconds === null ? ends : { ...ends, maxDurationSeconds: Math.max(0, seconds - elapsedMs / 1000) };
}
