import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataDesignerError, isFailure, type StopSignals, untilStopped } from '@data-designer/core';
import { type RunRecord, type RunStage, stageOfRun, writeDurably } from '@data-designer/dataset';
import {
  connect,
  type GroupChannels,
  journalRecovery,
  LEAVE_GRACE_MS,
  openExecutor,
} from '@data-designer/engine/parts';
import type { ModelState, RunGateway } from '@data-designer/gateway';
import { readEnding } from '../coordinator/coordinate.ts';
import { openRunLimits } from '../limits/open-cluster-limits.ts';
import type { Machine } from '../machine/machine.ts';
import { openMachine, openShared } from '../machine/open-machine.ts';
import { openRedis } from '../redis/open-redis.ts';
import type { Announcement, Answer } from '../redis/run-state.ts';
import { singleMachineTools } from '../single-machine.ts';
import { groupsOf, imageFoldersOf } from '../start-record.ts';
import { patienceOf, STOP_MS, within } from '../timing.ts';
import type { FoundRun } from './find-runs.ts';
import type { JoinedMachine, Listeners, PartOptions } from './joined-machine.ts';
import { leadRun } from './lead-run.ts';
import { readShared } from './read-shared.ts';

/** How the part of a machine in a run ends; it is `lost` when another machine has taken over its coordination. */
export type PartEnd = 'over' | 'left' | 'lost';

/** Works on one run until it is over, or until this machine is stopped; throws `cluster/*` and `run/*`. */
export async function takePart(found: FoundRun, given: PartOptions): Promise<PartEnd> {
  const { run, record, paths } = found;
  const stored = await readShared(found, record, given);
  const { mediaRoots = [] } = given;
  const parts = { ...given, mediaRoots: [...mediaRoots, ...imageFoldersOf(record, paths.folder)] };
  const { isKnown, signal, drain, watch } = parts;
  const stopped = AbortSignal.any([signal, drain]);
  await using link = await openRedis(parts.connection, run, { isKnown, signal: stopped, watch });
  await using opened = await openShared(link, { paths, run, leaseMs: record.leaseMs });
  const groups = groupsOf(stored.plan, record);
  const listeners: Listeners = { onProgress: new Set(), onModels: new Set() };
  await using local = openExecutor(stored.plan, {
    ...parts,
    groups: groups.length,
    maxConcurrentRowGroups: record.maxConcurrentRowGroups,
    onProgress: (open) => listeners.onProgress.forEach((listener) => listener(open)),
  });
  const { spentBefore, admission } = record;
  const id = parts.machine.nextPart();
  const limited = { plan: stored.plan, spentBefore, admission, machine: id };
  await using cluster = await openUntilStopped(openRunLimits(link, limited, record.limits), parts);
  const options = {
    ...parts,
    admission,
    cluster,
    onModels: (states: readonly ModelState[]) => listeners.onModels.forEach((listener) => listener(states)),
  };
  const standsByFor = singleMachineTools(stored.plan);
  const before = { frozen: stored.tools, listsTools: standsByFor.length === 0, spentBefore };
  await using connection = await openUntilStopped(connect(stored.plan, options, before), parts);
  const { gateway } = connection;
  const { plan, format } = stored;
  const machine = openMachine(opened, { machine: id, plan, format, paths, groups, local, gateway });
  cluster.onWake = () => machine.wake();
  machine.channels = ownChannels(stored, found, gateway);
  listeners.onProgress.add(machine.onProgress);
  listeners.onModels.add(machine.onModels);
  const joined = { machine, standsByFor, opened, found, stored, groups, local, gateway, listeners, parts };
  let ended: PartEnd | undefined;
  try {
    return (ended = await makeGroups(joined));
  } finally {
    // Nobody waits for a machine of a run that is over.
    if (ended !== 'over') await link.within(GOODBYE_TIMEOUT_MS, machine.leave());
    await machine.close();
  }
}

const GOODBYE_TIMEOUT_MS = 2000;
/** How long a machine that finds the run's folder gone waits for the reason: as long as the coordinator tries to tell it. */
const REASON_MS = 5000;

/** Waits for what this machine opens, which a stop ends at once; what opens later is closed. */
async function openUntilStopped<Opened extends AsyncDisposable>(
  opening: Promise<Opened>,
  { signal, drain }: StopSignals,
): Promise<Opened> {
  try {
    return await untilStopped(opening, { signal, drain }, async () => {});
  } catch (failure) {
    // The failure of the opening is this one, or nobody waits for it.
    void opening.then((opened) => opened[Symbol.asyncDispose]()).catch(() => {});
    throw failure;
  }
}

/** Makes groups until the run is over; coordinates it where its coordinator is lost. */
async function makeGroups(joined: JoinedMachine): Promise<PartEnd> {
  const { machine, standsByFor, found, groups, gateway, parts } = joined;
  const { signal, drain } = parts;
  const { folder: path } = found.paths;
  if (!(await enterMachine(joined))) {
    await learnReason(joined);
    return 'over';
  }
  parts.onJoinEvent({ type: 'join-start', path, groups: groups.length, coordinator: found.record.host, standsByFor });
  const end = Promise.withResolvers<'over' | 'lead'>();
  machine.hooks = hooksOf(joined, end);
  // The coordinator may have no calls of its own that wait for the budget.
  void gateway.spent.then((reason) => machine.endRun(reason));
  machine.report();
  using _ = parts.joinProgress.count([machine]);
  try {
    const ended = await Promise.race([end.promise, aborted(signal, drain), machine.failed, gateway.lost]);
    if (ended === 'lead') return await lead(joined);
    // Stopped at once, it leaves its groups to the queue, which gives them to others when the lease is over.
    if (ended === 'left' && !signal.aborted) await machine.stop({ graceMs: LEAVE_GRACE_MS });
    if (ended === 'over') await within(GOODBYE_TIMEOUT_MS, machine.discardOpen());
    return ended;
  } catch (failure) {
    // A machine that was suspended misses what the end of the run has removed.
    if (await hasEnded(joined)) {
      await Promise.all([within(GOODBYE_TIMEOUT_MS, machine.discardOpen()), learnReason(joined)]);
      return 'over';
    }
    parts.onFailure(failure);
    await within(STOP_MS, machine.stop());
    throw failure;
  }
}

/** Whether the run is over by its folder. */
async function hasEnded({ opened, found }: JoinedMachine): Promise<boolean> {
  return (await stageOfRun(found.paths, opened.cluster).catch(() => undefined)) === 'over';
}

/** Learns why a run is over whose folder is gone: its coordinator tells Redis last. */
async function learnReason({ opened: { state, timing }, parts }: JoinedMachine): Promise<void> {
  const until = performance.now() + REASON_MS;
  const learn = async (): Promise<void> => {
    while (performance.now() < until) {
      const announced = await state.announcement();
      if (announced?.isOver) return learnEnd(announced, parts);
      await sleep(timing.beatMs);
    }
  };
  await state.link.within(REASON_MS, learn());
}

/** Keeps why a run that is over ended early. */
function learnEnd({ ended }: Announcement, { onEnding }: PartOptions): void {
  if (ended) onEnding(DataDesignerError.fromWire(ended));
}

/** Writes the file by which the coordinator sees that both have the same folder; false if the run has ended meanwhile. */
async function enterMachine(joined: JoinedMachine): Promise<boolean> {
  const { id } = joined.machine;
  try {
    await writeDurably(joined.opened.cluster.machine(id), id);
    return true;
  } catch (failure) {
    if (!(await hasEnded(joined))) throw failure;
    return false;
  }
}

/** Coordinates the run to its end, or until another machine does. */
async function lead(joined: JoinedMachine): Promise<PartEnd> {
  const { found, parts } = joined;
  parts.onJoinEvent({ type: 'join-lead', path: found.paths.folder });
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
function hooksOf(joined: JoinedMachine, end: PromiseWithResolvers<'over' | 'lead'>): Machine['hooks'] {
  const { machine, standsByFor, opened, found, parts } = joined;
  const { state, timing } = opened;
  let learning: Promise<void> | undefined;
  let isAccepted = false;
  let missingSince: number | undefined;
  /** Why the run ends is known as long as not all machines have stopped. */
  const stop = async (): Promise<void> => {
    const reason = await readEnding(opened.cluster).catch(() => undefined);
    if (reason) parts.onEnding(reason);
    await machine.stop();
  };
  const onStage = (stage: RunStage): void => {
    if (stage === 'over') learning ??= learnReason(joined).then(() => end.resolve('over'));
    else if (stage !== 'making') void stop();
  };
  const onAnswer = ({ announcement, coordinator, isAccepted: accepted }: Answer): void => {
    if (announcement?.isOver) {
      learnEnd(announcement, parts);
      return end.resolve('over');
    }
    if (announcement?.hasEnding) void stop();
    else if (accepted === true && !isAccepted) {
      isAccepted = true;
      parts.onAccepted();
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
    if (performance.now() - missingSince < patienceOf(timing, isAccepted)) return undefined;
    missingSince = undefined;
    void state.lead(machine.id).then((leads) => leads && end.resolve('lead'), state.link.failed);
    return undefined;
  };
  return { onStage, onAnswer };
}

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
