import { hostname } from 'node:os';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DataDesignerError, isFailure } from '@data-designer/core';
import {
  acceptOffer,
  type ClusterPaths,
  clusterPaths,
  type DatasetPaths,
  datasetPaths,
  endSession,
  makeFolder,
  removeClusterRun,
  writeDurably,
  nameWithin,
} from '@data-designer/dataset';
import type { SelectionSession, WorkflowSession } from '@data-designer/engine/parts';
import type { RedisLink } from '../redis/open-redis.ts';
import { RunState } from '../redis/run-state.ts';
import {
  jointLimits,
  type OwnParts,
  readStart,
  type SessionRecord,
  sharedParts,
  type WorkflowShare,
  writeSession,
} from '../start-record.ts';
import { timingOf } from '../timing.ts';
import type { MachineId } from '../machine/machine-id.ts';
import { SessionLease } from './session-lease.ts';

/** This machine in a run. */
export interface MachinePart {
  /** The folder of the run. */
  readonly folder: string;
  /** The rows of the groups that it has committed. */
  readonly rows: number;
  /** The finished rows of the groups that it has open. */
  readonly openRows: number;
  /** The groups that it works on. */
  readonly openGroups: Iterable<number>;
  /** Whether it takes part in the run no more. */
  readonly isClosed: boolean;
}

/** A session whose lease this machine has. It adds itself to `machines` in each run of the session. */
export interface LedSession {
  readonly machine: MachineId;
  readonly machines: Set<MachinePart>;
}

/** How this machine coordinates a session. */
interface SessionParts {
  readonly link: RedisLink;
  readonly run: string;
  readonly options: OwnParts & {
    readonly leaseMs?: number | undefined;
    readonly leave?: AbortSignal | undefined;
    readonly limits?: WorkflowShare | undefined;
  };
  /** The id of this machine, which has the lease. */
  readonly machine: string;
  /** Whether another machine coordinated the session before. */
  readonly isSuccessor: boolean;
  /** This machine in the runs of the session. */
  readonly machines: Iterable<MachinePart>;
  /** Ends all other renewals of the lease. */
  readonly release: () => Promise<void>;
}

/**
 * Coordinates a session: does its work while this machine has the lease, then announces that the session is over.
 * If another machine has the lease, or takes it from this one that leaves, that one continues the session; throws
 * `cluster/taken-over` and `cluster/handed-over`.
 */
export async function leadSession<Result>(
  session: SelectionSession | WorkflowSession,
  parts: SessionParts,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { link, run, options, machine } = parts;
  const { folder: path } = session;
  const paths = datasetPaths(path);
  const cluster = clusterPaths(paths, run);
  const timing = timingOf(options.leaseMs);
  await using lease = await SessionLease.take(new RunState(link, timing), timing, { id: machine, path });
  if (parts.isSuccessor) await succeed(paths, run);
  else await begin(cluster, recordOf(session, options));
  const signal = AbortSignal.any([session.signal, lease.lost]);
  try {
    const result = await work(signal);
    await removeClusterRun(paths, run);
    return result;
  } catch (thrown) {
    if (lease.lost.aborted) throw lease.lost.reason;
    const rows = [...parts.machines].reduce((sum, part) => sum + part.rows, 0);
    const left = leftBy(thrown, { path, rows });
    if (left) throw left;
    if (session.signal.aborted) throw thrown;
    const leaves = options.leave?.aborted === true && isFailure(thrown, 'run/aborted');
    if (leaves && (await lease.offer(cluster, parts.release)))
      throw new DataDesignerError('cluster/handed-over', { path, rows });
    await endSession(paths, run);
    throw thrown;
  } finally {
    // The connections may stay: this machine may go on as an ordinary one.
    await parts.release();
  }
}

/** The failures after which others go on with a session: a run has another coordinator, or this machine cannot coordinate. */
function leftBy(
  thrown: unknown,
  { path, rows }: { readonly path: string; readonly rows: number },
): DataDesignerError | undefined {
  if (isFailure(thrown, 'cluster/cannot-lead')) return thrown;
  if (isFailure(thrown, 'cluster/taken-over'))
    return new DataDesignerError('cluster/taken-over', { path }, { cause: thrown });
  if (isFailure(thrown, 'cluster/handed-over'))
    return new DataDesignerError('cluster/handed-over', { path, rows }, { cause: thrown });
  return undefined;
}

/** Takes the place of a coordinator that is lost or leaves; throws `cluster/taken-over` if the session has ended meanwhile. */
async function succeed(paths: DatasetPaths, run: string): Promise<void> {
  const cluster = clusterPaths(paths, run);
  if (await acceptOffer(cluster)) return;
  // The coordinator may have been lost before it ended the session.
  if (existsSync(cluster.withdrawn)) await endSession(paths, run);
  if (!(await readStart(cluster))) throw new DataDesignerError('cluster/taken-over', { path: paths.folder });
}

/**
 * How long a session has taken so far, by the clock of the file system: those of machines differ. Throws `cluster/taken-over`
 * if it has ended meanwhile.
 */
export async function secondsOf(paths: DatasetPaths, run: string, holder: string): Promise<number> {
  const cluster = clusterPaths(paths, run);
  const now = join(cluster.folder, 'holder');
  try {
    await writeDurably(now, holder);
    const [began, ends] = await Promise.all([stat(cluster.start), stat(now)]);
    return Math.max(0, (ends.mtimeMs - began.mtimeMs) / 1000);
  } catch (failure) {
    if (await readStart(cluster)) throw failure;
    throw new DataDesignerError('cluster/taken-over', { path: paths.folder }, { cause: failure });
  }
}

/** Writes the record of a session. */
async function begin(cluster: ClusterPaths, record: SessionRecord): Promise<void> {
  await makeFolder(cluster.folder);
  await writeSession(cluster, record);
}

function recordOf(session: SelectionSession | WorkflowSession, own: SessionParts['options']): SessionRecord {
  const { folder } = session;
  const shared = {
    runs: session.runs.map((path) => nameWithin(folder, path)),
    ...sharedParts(own, folder),
    host: hostname(),
    leaseMs: timingOf(own.leaseMs).leaseMs,
  };
  if (session.kind === 'workflow') return { kind: session.kind, ...shared, successor: session.successor };
  const { kind, options } = session;
  return {
    kind,
    ...shared,
    ends: options.ends,
    compact: options.compact ?? null,
    admission: options.admission,
    maxConcurrentRowGroups: options.maxConcurrentRowGroups,
    limits: jointLimits(own.limits),
    tables: options.tables.length,
    skippedProbes: [...options.skippedProbes],
  };
}
