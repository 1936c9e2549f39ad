import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  clusterOfLock,
  clusterPaths,
  type DatasetPaths,
  datasetPaths,
  readJsonFile,
  sessionOf,
  WORKFLOW_FILE,
} from '@data-designer/dataset';
import { readStart, type SessionRecord, type StartRecord } from '../start-record.ts';

/** A run on a cluster that machines may join. */
export interface FoundRun {
  readonly run: string;
  readonly record: StartRecord;
  readonly paths: DatasetPaths;
}

/** A session without a run that machines may join. */
export interface FoundSession<Record extends SessionRecord = SessionRecord> {
  readonly run: string;
  readonly session: Record;
  readonly paths: DatasetPaths;
}

/** A run that machines may join, or a session that has none now. */
export type JoinTarget = FoundRun | FoundSession;

/** Where runs are looked for. */
interface Search {
  /** What this machine takes part in, by the id of the run or session: it is found as long as it lasts, and not read again. */
  readonly taken: ReadonlyMap<string, JoinTarget>;
  /** The session whose runs are meant; any run unless given. */
  readonly session?: string;
}

/** All runs in a folder and in the sessions there; of sessions without a run, the innermost ones. */
export async function findRuns(paths: DatasetPaths, search: Search): Promise<readonly JoinTarget[]> {
  const { taken } = search;
  const found = await recordIn(paths, search);
  if (!found) return [];
  if ('record' in found || taken.has(found.run)) return [found];
  const folders = found.session.runs.map((folder) => datasetPaths(join(paths.folder, folder)));
  const inner = await Promise.all(folders.map((one) => findRuns(one, { taken, session: sessionOf(found.run) })));
  return inner.every((runs) => runs.length === 0) ? [found] : inner.flat();
}

/** Whether a run makes the candidates of a selection, which is the session in the folder above. */
export async function isStepOfSelection({ run, paths }: Pick<FoundRun, 'run' | 'paths'>): Promise<boolean> {
  const found = await recordIn(datasetPaths(dirname(paths.folder)), { taken: new Map(), session: sessionOf(run) });
  return found !== undefined && 'session' in found && found.session.kind === 'selection';
}

/** The run or session that the lock of a folder names, or that a lost coordinator has left. */
async function recordIn(paths: DatasetPaths, { taken, session }: Search): Promise<JoinTarget | undefined> {
  const locked = await clusterOfLock(paths.lock);
  const left = await readdir(paths.clusters).catch(() => []);
  for (const run of locked === undefined ? left : [locked]) {
    if (session !== undefined && sessionOf(run) !== session) continue;
    const known = taken.get(run);
    if (known) return known;
    const record = await readStart(clusterPaths(paths, run));
    if (record) return 'runs' in record ? { run, session: record, paths } : { run, record, paths };
  }
  return undefined;
}

/** Whether a dataset has all its rows, or a workflow its stages, and no run works on it. */
export async function isFinished(paths: DatasetPaths): Promise<boolean> {
  if ((await clusterOfLock(paths.lock)) !== undefined) return false;
  const workflow = await readJsonFile(join(paths.folder, WORKFLOW_FILE), { exact: false }).catch(() => undefined);
  if (Object(workflow).is_complete === true) return true;
  const metadata = await readJsonFile(paths.metadata, { exact: false }).catch(() => undefined);
  const { num_completed_batches: done, total_num_batches: all, target_num_records: wanted } = Object(metadata);
  const rows = Object(metadata).actual_num_records;
  return typeof done === 'number' && done === all && rows >= wanted;
}
