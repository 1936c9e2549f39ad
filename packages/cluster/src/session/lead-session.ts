import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { relative, sep } from 'node:path';
import { isFailure } from '@data-designer/core';
import { type ClusterPaths, clusterPaths, datasetPaths, makeFolder, removeClusterRun } from '@data-designer/dataset';
import type { SharedSession } from '@data-designer/engine/parts';
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
  session: SharedSession,
  { link, run, options }: SessionParts,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const paths = datasetPaths(session.folder);
  const timing = timingOf(options.leaseMs);
  const holder = { id: options.holder ?? randomUUID(), path: session.folder };
  await using lease = await SessionLease.take(new RunState(link, timing), timing, holder);
  await begin(clusterPaths(paths, run), recordOf(session, options));
  const signal = AbortSignal.any([session.options.signal, lease.lost]);
  try {
    const result = await work(signal);
    await removeClusterRun(paths, run);
    return result;
  } catch (thrown) {
    if (lease.lost.aborted) throw lease.lost.reason;
    // The run that it was about has another coordinator.
    const goesOn = isFailure(thrown, 'cluster/taken-over') || isFailure(thrown, 'cluster/handed-over');
    if (!signal.aborted && !goesOn) await removeClusterRun(paths, run);
    throw thrown;
  }
}

/** Writes the record of a session, unless the machine before this one did. */
async function begin(cluster: ClusterPaths, record: SessionRecord): Promise<void> {
  if (await readStart(cluster)) return;
  await makeFolder(cluster.folder);
  await writeSession(cluster, record);
}

function recordOf({ kind, folder, runs, options }: SharedSession, own: SessionParts['options']): SessionRecord {
  return {
    kind,
    runs: runs.map((path) => relative(folder, path).split(sep).join('/')),
    version: own.version,
    code: own.code,
    functions: own.functions ?? [],
    host: hostname(),
    leaseMs: timingOf(own.leaseMs).leaseMs,
    ends: options.ends,
    compact: options.compact ?? null,
    admission: options.admission,
    maxConcurrentRowGroups: options.maxConcurrentRowGroups,
    tables: options.tables.length,
    skippedProbes: [...options.skippedProbes],
  };
}
