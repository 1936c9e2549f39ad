import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DataDesignerError, NEVER, refuseStopped } from '@data-designer/core';
import { clusterOfLock, clusterPaths, datasetPaths, makeFolder, sessionOf } from '@data-designer/dataset';
import type { Executor, RedisEvent, RunMachines, SharedRun } from '@data-designer/engine/parts';
import { coordinate, endRun } from './coordinator/coordinate.ts';
import { CoordinatorLease, takeLeaseIfLost } from './coordinator/coordinator-lease.ts';
import { type OpenClusterLimits, openRunLimits } from './limits/open-cluster-limits.ts';
import { MachineId } from './machine/machine-id.ts';
import { openMachine, openShared } from './machine/open-machine.ts';
import type { ClusterConnection } from './redis/cluster-connection.ts';
import { openRedis, type RedisLink } from './redis/open-redis.ts';
import { RedisWatch } from './redis/redis-watch.ts';
import { RunState } from './redis/run-state.ts';
import { leadSession, type MachinePart } from './session/lead-session.ts';
import {
  jointLimits,
  type OwnParts,
  readStart,
  sharedParts,
  type StartRecord,
  type WorkflowShare,
  writeStart,
} from './start-record.ts';
import { timingOf } from './timing.ts';

/** A machine that has taken the lease of a session in this folder. */
interface Successor {
  readonly machine: MachineId;
  readonly path: string;
}

/** How a machine takes part in a run. */
export interface ClusterOptions extends OwnParts {
  readonly connection: ClusterConnection;
  /** Whether the machine that creates the dataset makes rows too; true unless given. */
  readonly work?: boolean | undefined;
  /** How long a machine may be silent before others make its row groups; 30 s unless given. */
  readonly leaseMs?: number | undefined;
  /** The id of the run; random unless given. */
  readonly run?: string;
  /** This machine, where it continues a session whose coordinator is lost or leaves. */
  readonly successor?: Successor;
  /** The limits that the runs of a workflow share; those of one run unless given. */
  readonly limits?: WorkflowShare | undefined;
  /** Aborted when this machine is to leave the run: another one coordinates it, or it ends if there is none. */
  readonly leave?: AbortSignal | undefined;
  /** This machine in the runs of a session; of a session of its own unless given. */
  readonly parts?: Set<MachinePart>;
  /** Called with what is wrong with Redis; must not throw. */
  readonly onEvent?: ((event: RedisEvent) => void) | undefined;
  /** The watch of a session, for its runs. */
  readonly watch?: RedisWatch;
}

/** The machines of a cluster; `next` takes the code, the folders of images and the limits of the run. Disposing closes the connections. */
export interface ClusterMachines extends RunMachines, AsyncDisposable {
  readonly next: (
    own?: Partial<Pick<ClusterOptions, 'code' | 'functions' | 'imageFolders' | 'limits'>>,
  ) => Promise<ClusterMachines>;
}

/** What this machine has of a run, in which it has this id. */
interface OwnRun {
  readonly link: RedisLink;
  readonly run: string;
  readonly id: string;
  readonly lease: CoordinatorLease;
  readonly options: ClusterOptions;
  readonly parts: Set<MachinePart>;
}

/** Connects to a cluster for a new run; throws `cluster/*` before anything is made. Disposing it closes the connections. */
export async function openCluster(options: ClusterOptions): Promise<ClusterMachines> {
  const machine = options.successor?.machine ?? new MachineId();
  return openFor(options, machine, machine.text);
}

/** Connects this machine to a run or session, in which it has this id. */
async function openFor(options: ClusterOptions, machine: MachineId, id: string): Promise<ClusterMachines> {
  const { connection, run = randomUUID(), successor, parts = new Set() } = options;
  // A run of a session follows others, and a successor has been a machine of them.
  const isKnown = options.parts !== undefined || successor !== undefined;
  const { onEvent = () => {}, watch = new RedisWatch(onEvent) } = options;
  const link = await openRedis(connection, run, { isKnown, signal: options.leave, watch });
  const timing = timingOf(options.leaseMs);
  const state = new RunState(link, timing);
  if (successor) await refuseLost(successor.path, id, { link, state });
  const lease = new CoordinatorLease(id, { state, timing });
  const own = { link, run, id, lease, options, parts };
  let opened: OpenClusterLimits | undefined;
  return {
    run,
    isLost: (other, folder) => isLost(other, folder, own),
    openLimits: async (limited) => {
      const joint = jointLimits(options.limits, limited.spentBefore);
      const { made } = options.limits ?? {};
      return (opened = await openRunLimits(link, { ...limited, ...(made && { made }), machine: id }, joint));
    },
    open: (shared) => openRun(shared, own, opened),
    end: (paths) => endRun(paths, { lease, state, run }),
    lead: (led, work) => {
      const session = { link, run, options, machine: id, isSuccessor: successor !== undefined, machines: parts };
      return leadSession(led, { ...session, release: () => lease.release() }, work);
    },
    next: async (next = {}) => {
      const { successor: _, leave = NEVER, ...others } = options;
      refuseStopped({ signal: NEVER, drain: leave });
      const inner = `${sessionOf(run)}.${randomUUID().slice(0, 13)}`;
      return openFor({ ...others, ...next, watch, parts, leave, run: inner }, machine, machine.nextPart());
    },
    [Symbol.asyncDispose]: async () => {
      await lease[Symbol.asyncDispose]();
      await link[Symbol.asyncDispose]();
    },
  };
}

/** Throws `cluster/taken-over` for a machine that has lost its lease since it took it: it must not touch the lock of the folder. */
async function refuseLost(
  path: string,
  id: string,
  { link, state }: { readonly link: RedisLink; readonly state: RunState },
): Promise<void> {
  const leads = await state.lead(id).catch((thrown: unknown) => {
    link.failed(thrown);
    return true;
  });
  // A Redis that refuses this refuses it to other machines, too.
  if (leads) return;
  await link[Symbol.asyncDispose]();
  throw new DataDesignerError('cluster/taken-over', { path });
}

/** Whether no machine is left of the run that holds a folder; for a session, of its runs. */
async function isLost(run: string, folder: string, own: OwnRun): Promise<boolean> {
  const { link, id, options } = own;
  const record = await readStart(clusterPaths(datasetPaths(folder), run));
  for (const inner of record && 'runs' in record ? record.runs : []) {
    const path = join(folder, inner);
    const other = await clusterOfLock(datasetPaths(path).lock);
    if (other !== undefined && !(await isLost(other, path, own))) return false;
  }
  const timing = timingOf(record?.leaseMs ?? options.leaseMs);
  return takeLeaseIfLost(new RunState(link.forRun(run), timing), timing, id);
}

/** Writes what joining machines need, and opens the executor of this machine, which coordinates the run. */
async function openRun(
  shared: SharedRun,
  { link, run, id, lease, options, parts }: OwnRun,
  limits: OpenClusterLimits | undefined,
): Promise<Executor> {
  const { plan, folder, gateway, local, options: settings } = shared;
  const { paths } = folder;
  const cluster = clusterPaths(paths, run);
  for (const path of [cluster.commits, cluster.epochs, cluster.machines]) await makeFolder(path);
  const { leaseMs } = await writeStart(cluster, paths, startOf(shared, options));
  const opened = await openShared(link, { paths, run, leaseMs });
  const { groups } = shared;
  const machine = openMachine(opened, { machine: id, plan, paths, gateway, local, groups, format: settings.format });
  shared.progress.relayTo(machine);
  shared.progress.watchRedis(() => link.watch.away);
  parts.add(machine);
  lease.hold(folder);
  if (limits) limits.onWake = () => machine.wake();
  return coordinate(machine, opened, {
    ...shared,
    paths,
    lease,
    leave: options.leave ?? NEVER,
    works: options.work ?? true,
  });
}

function startOf(
  { groups, folder, summary, voided, spentBefore, options }: SharedRun,
  own: ClusterOptions,
): Omit<StartRecord, 'plan'> {
  const { leaseMs } = own;
  return {
    ...sharedParts(own, folder.paths.folder),
    spentBefore,
    limits: jointLimits(own.limits, spentBefore),
    name: folder.name,
    host: hostname(),
    leaseMs: leaseMs ?? timingOf().leaseMs,
    groups: groups.map(({ index }) => index),
    summary: summary.state,
    voided: [...voided],
    ends: options.ends,
    compact: options.compact ?? null,
    admission: options.admission,
    maxConcurrentRowGroups: options.maxConcurrentRowGroups,
  };
}
