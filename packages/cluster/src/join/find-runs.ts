import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuseStopped, type StopSignals } from '@data-designer/core';
import {
  clusterOfLock,
  clusterPaths,
  type DatasetPaths,
  datasetPaths,
  readJsonFile,
  sessionOf,
  WORKFLOW_FILE,
} from '@data-designer/dataset';
import type { FoundSession, SessionWatch } from '../session/session-watch.ts';
import { readStart, type StartRecord } from '../start-record.ts';

/** How often a machine looks for a run. */
const LOOK_EVERY_MS = 250;

/** A run on a cluster that machines may join. */
export interface FoundRun {
  readonly run: string;
  readonly record: StartRecord;
  readonly paths: DatasetPaths;
}

/** How a machine waits. */
interface Waiting {
  readonly watch: SessionWatch;
  /** The one run or session that it takes part in; any unless given. */
  readonly only?: string | undefined;
  readonly onWait: () => void;
}

/**
 * Waits for a run in a folder, or for a session that this machine must coordinate because no machine does; undefined once
 * everything is made, or the session is over. Throws `run/aborted` when it is stopped.
 */
export async function findRun(
  paths: DatasetPaths,
  signals: StopSignals,
  { watch, only, onWait }: Waiting,
): Promise<FoundRun | FoundSession | undefined> {
  for (let isFirst = true; ; isFirst = false) {
    refuseStopped(signals);
    const found = await findIn(paths);
    if (only !== undefined && (!found || sessionOf(found.run) !== sessionOf(only))) return undefined;
    if (found && ('record' in found || (await watch.mayLead(found)))) return found;
    if (!found && (watch.hasSession || (await isFinished(paths)))) return undefined;
    if (isFirst && !found) onWait();
    await sleep(LOOK_EVERY_MS, undefined, { signal: AbortSignal.any([signals.signal, signals.drain]) }).catch(() => {});
  }
}

/** The run in a folder, or in a session there; the innermost session if it has none now. */
async function findIn(paths: DatasetPaths, session?: string): Promise<FoundRun | FoundSession | undefined> {
  const found = await recordIn(paths, session);
  if (!found || 'record' in found) return found;
  for (const folder of found.session.runs) {
    const inner = await findIn(datasetPaths(join(paths.folder, folder)), sessionOf(found.run));
    if (inner) return inner;
  }
  return found;
}

/** The run or session that the lock of a folder names, or that a lost coordinator has left. */
async function recordIn(paths: DatasetPaths, session?: string): Promise<FoundRun | FoundSession | undefined> {
  const locked = await clusterOfLock(paths.lock);
  const left = await readdir(paths.clusters).catch(() => []);
  for (const run of locked === undefined ? left : [locked]) {
    if (session !== undefined && sessionOf(run) !== session) continue;
    const record = await readStart(clusterPaths(paths, run));
    if (record) return 'runs' in record ? { run, session: record, paths } : { run, record, paths };
  }
  return undefined;
}

/** Whether a dataset has all its rows, or a workflow its stages, and no run works on it. */
async function isFinished(paths: DatasetPaths): Promise<boolean> {
  if ((await clusterOfLock(paths.lock)) !== undefined) return false;
  const workflow = await readJsonFile(join(paths.folder, WORKFLOW_FILE), { exact: false }).catch(() => undefined);
  if (Object(workflow).is_complete === true) return true;
  const metadata = await readJsonFile(paths.metadata, { exact: false }).catch(() => undefined);
  const { num_completed_batches: done, total_num_batches: all, target_num_records: wanted } = Object(metadata);
  const rows = Object(metadata).actual_num_records;
  return typeof done === 'number' && done === all && rows >= wanted;
}
