import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataDesignerError, isFailure } from '@data-designer/core';
import {
  clusterOfLock,
  datasetPaths,
  type RunRecord,
  type RunStage,
  stageOfRun,
  writeDurably,
} from '@data-designer/dataset';
import { connect, type GroupChannels, journalRecovery, openExecutor } from '@data-designer/engine/parts';
import type { ModelState, RunGateway } from '@data-designer/gateway';
import { openRunLimits } from '../limits/open-cluster-limits.ts';
import type { Machine } from '../machine/machine.ts';
import { openMachine, openShared } from '../machine/open-machine.ts';
import { connectionSettings } from '../redis/cluster-connection.ts';
import { loadLibraries, openRedis } from '../redis/open-redis.ts';
import type { Answer } from '../redis/run-state.ts';
import { secondsOf } from '../session/lead-session.ts';
import { type FoundSession, SessionWatch } from '../session/session-watch.ts';
import { singleMachineTools } from '../single-machine.ts';
import { groupsOf, type SelectionRecord } from '../start-record.ts';
import { within } from '../timing.ts';
import { findRun, type FoundRun } from './find-run.ts';
import type { JoinedMachine, JoinParts, Listeners } from './joined-machine.ts';
import { leadRun } from './lead-run.ts';
import { leadSelection } from './lead-selection.ts';
import { readShared, refuseOtherCode } from './read-shared.ts';

/** What a machine has done in a run. */
export interface JoinedRun {
  /** The dataset's folder. */
  readonly path: string;
  /** The rows of the groups that this machine has committed. */
  readonly rows: number;
  /** Whether the run is over; false for a machine that has left it. */
  readonly isOver: boolean;
}

/** Whether the coordinator has seen a machine's file in the shared folder, and whether the machine has coordinated the run. */
interface Standing {
  isAccepted: boolean;
  hasLed: boolean;
}

/** How the part of a machine in a run ends; it is `lost` when another machine has taken over its coordination. */
interface Part extends Readonly<Standing> {
  readonly end: 'over' | 'left' | 'lost';
  readonly rows: number;
}

/**
 * Works on the run in a folder until it is over, or until this machine is stopped; on a session, run after run. Throws
 * `cluster/*` and `run/*`.
 */
export async function joinRun(parts: JoinParts): Promise<JoinedRun> {
  const paths = datasetPaths(resolve(parts.folder));
  const path = paths.folder;
  // Before it waits for a run.
  connectionSettings(parts.connection);
  await loadLibraries();
  const { onEvent } = parts;
  await using watch = new SessionWatch(parts, (orphan) => onEvent({ type: 'join-orphan', ...orphan }));
  const waiting = { watch, onWait: () => onEvent({ type: 'join-wait', path }) };
  let [rows, only] = [0, parts.run];
  try {
    for (;;) {
      const found = await findRun(paths, parts, { ...waiting, only });
      if (!found) {
        if (only !== undefined) await untilUnlocked({ paths, run: only });
        return { path, rows, isOver: true };
      }
      const { functionsIn } = parts;
      const own = functionsIn ? { ...parts, functions: functionsIn(found.paths.folder) } : parts;
      if ('session' in found) {
        onEvent({ type: 'join-lead', path: found.paths.folder });
        watch.take({ isAccepted: false, hasLed: true });
        await leadFound(found, own, watch);
        continue;
      }
      watch.hasSession ||= found.paths.folder !== path;
      const joined = await joinOne(found, own);
      watch.take(joined);
      rows += joined.rows;
      if (joined.end === 'left') return { path, rows, isOver: false };
      if (watch.hasSession) continue;
      if (joined.end === 'over') {
        await untilUnlocked(found);
        return { path, rows, isOver: true };
      }
      only = found.run;
    }
  } catch (thrown) {
    const isStopped = isFailure(thrown, 'run/aborted') && (parts.signal.aborted || parts.drain.aborted);
    if (watch.hasSession && isStopped) return { path, rows, isOver: false };
    throw thrown;
  }
}

/** Continues a selection or a workflow whose coordinator is lost. */
async function leadFound(found: FoundSession, parts: JoinParts, watch: SessionWatch): Promise<void> {
  const { holder } = watch;
  try {
    await (isSelection(found) ? leadSelection(found, parts, holder) : leadWorkflow(found, parts, holder));
  } catch (thrown) {
    if (isFailure(thrown, 'cluster/cannot-lead') && !isSelection(found))
      return watch.refuse(found.run, thrown.data.reason);
    // Others go on: a machine that was suspended takes part in their runs.
    if (!isFailure(thrown, 'cluster/taken-over') && !isFailure(thrown, 'cluster/handed-over')) throw thrown;
  }
}

async function leadWorkflow({ run, session, paths }: FoundSession, parts: JoinParts, holder: string): Promise<void> {
  if (session.kind !== 'workflow') return;
  await refuseOtherCode(session, paths, parts);
  const { leaseMs, successor } = session;
  const spentSeconds = await secondsOf(paths, run, holder);
  await parts.leadWorkflow({ run, holder, path: paths.folder, leaseMs, successor, spentSeconds });
}

function isSelection(found: FoundSession): found is FoundSession<SelectionRecord> {
  return found.session.kind === 'selection';
}

/** The coordinator unlocks the dataset right after it has told that the run is over: then it can be loaded. */
async function untilUnlocked({ paths, run }: Pick<FoundRun, 'paths' | 'run'>): Promise<void> {
  for (const end = performance.now() + UNLOCK_MS; performance.now() < end; await sleep(LOOK_EVERY_MS)) {
    if ((await clusterOfLock(paths.lock)) !== run) return;
  }
}

const UNLOCK_MS = 5000;
const LOOK_EVERY_MS = 50;

/** Works on one run until it is over. */
async function joinOne(found: FoundRun, parts: JoinParts): Promise<Part> {
  const { run, record, paths } = found;
  const stored = await readShared(found, record, parts);
  await using link = await openRedis(parts.connection, run);
  await using opened = await openShared(link, { paths, run, leaseMs: record.leaseMs });
  const groups = groupsOf(stored.plan, record);
  const listeners: Listeners = { onProgress: new Set(), onModels: new Set() };
  await using local = openExecutor(stored.plan, {
    ...parts,
    groups: groups.length,
    maxConcurrentRowGroups: record.maxConcurrentRowGroups,
    onProgress: (told) => listeners.onProgress.forEach((listener) => listener(told)),
  });
  const { spentBefore, admission } = record;
  const limited = { plan: stored.plan, spentBefore, admission, machine: randomUUID() };
  await using cluster = await openRunLimits(link, limited, record.limits);
  const options = {
    ...parts,
    admission,
    cluster,
    onModels: (states: readonly ModelState[]) => listeners.onModels.forEach((listener) => listener(states)),
  };
  const standsByFor = singleMachineTools(stored.plan);
  const before = { frozen: stored.tools, listsTools: standsByFor.length === 0, spentBefore };
  await using connection = await connect(stored.plan, options, before);
  const { gateway } = connection;
  const { plan, format } = stored;
  const machine = openMachine(opened, { machine: randomUUID(), plan, format, paths, groups, local, gateway });
  cluster.onWake = () => machine.wake();
  machine.channels = ownChannels(stored, found, gateway);
  listeners.onProgress.add(machine.onProgress);
  listeners.onModels.add(machine.onModels);
  const joined = { machine, standsByFor, opened, found, stored, groups, local, gateway, listeners, parts };
  try {
    return await takePart(joined);
  } finally {
    await within(FAREWELL_MS, machine.leave());
    await machine.close();
  }
}

const FAREWELL_MS = 2000;

/** Makes groups until the run is over; coordinates it where its coordinator is lost. */
async function takePart(joined: JoinedMachine): Promise<Part> {
  const { machine, standsByFor, found, groups, gateway, parts } = joined;
  const { signal, drain, onEvent } = parts;
  const { folder: path } = found.paths;
  const standing: Standing = { isAccepted: false, hasLed: false };
  if (!(await enterMachine(joined))) return { end: 'over', rows: 0, ...standing };
  onEvent({ type: 'join-start', path, groups: groups.length, coordinator: found.record.host, standsByFor });
  const end = Promise.withResolvers<'over' | 'lead'>();
  machine.hooks = hooksOf(joined, end, standing);
  // The coordinator may have no calls of its own that wait for the budget.
  void gateway.spent.then((reason) => machine.endRun(reason));
  machine.report();
  const tell = setInterval(() => {
    onEvent({ type: 'join-progress', rows: machine.rows, groups: [...machine.openGroups].length });
  }, TELL_EVERY_MS);
  try {
    const ended = await Promise.race([end.promise, aborted(signal, drain), machine.failed, gateway.lost]);
    if (ended === 'lead') return { ...standing, end: await lead(joined), rows: machine.rows, hasLed: true };
    // Stopped at once, it leaves its groups to the queue, which gives them to others when the lease is over.
    if (ended === 'left' && !signal.aborted) await machine.stop();
    if (ended === 'over') await within(FAREWELL_MS, machine.discardOpen());
    return { ...standing, end: ended, rows: machine.rows };
  } catch (failure) {
    await machine.stop();
    throw failure;
  } finally {
    clearInterval(tell);
  }
}

/** Writes the file by which the coordinator sees that both have the same folder; false if the run has ended meanwhile. */
async function enterMachine({ machine: { id }, opened, found }: JoinedMachine): Promise<boolean> {
  try {
    await writeDurably(opened.cluster.machine(id), id);
    return true;
  } catch (failure) {
    if ((await stageOfRun(found.paths, opened.cluster)) !== 'over') throw failure;
    return false;
  }
}

/** Coordinates the run to its end, or until another machine does. */
async function lead(joined: JoinedMachine): Promise<Part['end']> {
  const { found, parts } = joined;
  parts.onEvent({ type: 'join-lead', path: found.paths.folder });
  try {
    await leadRun(joined);
    return 'over';
  } catch (failure) {
    if (parts.signal.aborted || isFailure(failure, 'cluster/handed-over')) return 'left';
    if (isFailure(failure, 'cluster/taken-over')) return 'lost';
    throw failure;
  }
}

function aborted(...signals: readonly AbortSignal[]): Promise<'left'> {
  const left = Promise.withResolvers<'left'>();
  const any = AbortSignal.any([...signals]);
  if (any.aborted) left.resolve('left');
  else any.addEventListener('abort', () => left.resolve('left'), { once: true });
  return left.promise;
}

/** Watches the run: the machine works once it is accepted, stops with the run, and may have to lead. */
function hooksOf(
  { machine, standsByFor, opened, found, parts }: JoinedMachine,
  end: PromiseWithResolvers<'over' | 'lead'>,
  standing: Standing,
): Machine['hooks'] {
  const { state, timing } = opened;
  let missingSince: number | undefined;
  const onStage = (stage: RunStage): void => {
    if (stage === 'over') end.resolve('over');
    else if (stage !== 'making') void machine.stop();
  };
  const onAnswer = ({ announcement, coordinator, isAccepted: accepted }: Answer): void => {
    if (announcement?.isOver) return end.resolve('over');
    if (announcement?.hasEnding) void machine.stop();
    else if (accepted === true && !standing.isAccepted) {
      standing.isAccepted = true;
      if (standsByFor.length === 0) void machine.work();
    }
    if (accepted === false) {
      const data = { path: found.paths.folder, host: hostname(), coordinator: found.record.host };
      return end.reject(new DataDesignerError('cluster/not-shared', data));
    }
    // The coordinator has left, and chosen this machine.
    if (coordinator === machine.id) return end.resolve('lead');
    if (coordinator !== undefined || parts.drain.aborted) {
      missingSince = undefined;
      return undefined;
    }
    missingSince ??= performance.now();
    // A machine that no coordinator has accepted waits for others: its folder may be another one.
    const patience = standing.isAccepted ? timing.coordinatorMs / 2 : timing.coordinatorMs * 2;
    if (performance.now() - missingSince < patience) return undefined;
    missingSince = undefined;
    void state.lead(machine.id).then(
      (leads) => leads && end.resolve('lead'),
      () => {},
    );
    return undefined;
  };
  return { onStage, onAnswer };
}

const TELL_EVERY_MS = 1000;

/** The channels of this machine's groups while another machine coordinates the run. */
function ownChannels({ plan, tools, tables }: RunRecord, { paths }: FoundRun, gateway: RunGateway): GroupChannels {
  return {
    plan,
    folder: paths.folder,
    tables: tables.map(({ id, rows }) => ({ id, rows, path: paths.table(id) })),
    open: (group) => gateway.openGroup(group, paths.journal(group)),
    // Each attempt at a group has its own.
    destination: () => ({ kind: 'nowhere' }),
    recovery: journalRecovery(paths, tools),
    redact: (value) => gateway.redact(value),
  };
}
