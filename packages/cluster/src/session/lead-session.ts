import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isFailure } from '@data-designer/core';
import {
  type ClusterPaths,
  clusterPaths,
  type DatasetPaths,
  datasetPaths,
  makeFolder,
  removeClusterRun,
  writeDurably,
} from '@data-designer/dataset';
import type { SelectionSession, WorkflowSession } from '@data-designer/engine/parts';
import type { RedisLink } from '../redis/open-redis.ts';
import { RunState } from '../redis/run-state.ts';
import { type OwnCode, readStart, type SessionRecord, writeSession } from '../start-record.ts';
import { timingOf } from '../timing.ts';
import { SessionLease } from './session-lease.ts';

/** How this machine coordinates a session. */
interface SessionParts {
  readonly link: RedisLink;
  readonly run: string;
  readonly options: OwnCode & {
    readonly functions?: readonly string[] | undefined;
    readonly leaseMs?: number | undefined;
    readonly holder?: string;
  };
}

/**
 * Coordinates a session: does its work while this machine has the lease, then tells the machines that the session is over.
 * If this machine must leave a session, because it is stopped or another one has the lease, another machine continues it.
 */
export async function leadSession<Result>(
  session: SelectionSession | WorkflowSession,
  { link, run, options }: SessionParts,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const paths = datasetPaths(session.folder);
  const timing = timingOf(options.leaseMs);
  const holder = { id: options.holder ?? randomUUID(), path: session.folder };
  await using lease = await SessionLease.take(new RunState(link, timing), timing, holder);
  await begin(clusterPaths(paths, run), recordOf(session, options));
  const signal = AbortSignal.any([session.signal, lease.lost]);
  try {
    const result = await work(signal);
    await removeClusterRun(paths, run);
    return result;
  } catch (thrown) {
    if (lease.lost.aborted) throw lease.lost.reason;
    if (!signal.aborted && !LEFT.some((code) => isFailure(thrown, code))) await removeClusterRun(paths, run);
    throw thrown;
  }
}

/** The failures after which others go on: the run at work has another coordinator, or this machine cannot coordinate. */
const LEFT = ['cluster/taken-over', 'cluster/handed-over', 'cluster/cannot-lead'] as const;

/** How long a session has taken so far, by the clock of the file system: those of machines differ. */
export async function secondsOf(paths: DatasetPaths, run: string, holder: string): Promise<number> {
  const { start, folder } = clusterPaths(paths, run);
  const now = join(folder, 'holder');
  await writeDurably(now, holder);
  const [began, ends] = await Promise.all([stat(start), stat(now)]);
  return Math.max(0, (ends.mtimeMs - began.mtimeMs) / 1000);
}

/** Writes the record of a session, unless the machine before this one did. */
async function begin(cluster: ClusterPaths, record: SessionRecord): Promise<void> {
  if (await readStart(cluster)) return;
  await makeFolder(cluster.folder);
  await writeSession(cluster, record);
}

function recordOf(session: SelectionSession | WorkflowSession, own: SessionParts['options']): SessionRecord {
  const { folder } = session;
  const shared = {
    runs: session.runs.map((path) => relative(folder, path).split(sep).join('/')),
    version: own.version,
    code: own.code,
    functions: own.functions ?? [],
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
    tables: options.tables.length,
    skippedProbes: [...options.skippedProbes],
  };
}
