import { setTimeout as sleep } from 'node:timers/promises';
import { type CellFailure, DataDesignerError, isFailure, type RowGroup, stopFailure } from '@data-designer/core';
import {
  type ClusterPaths,
  type DatasetPaths,
  isTaken,
  keepLostAnswers,
  mergeCommits,
  placeFiles,
  readCommit,
  writeJsonFile,
} from '@data-designer/dataset';
import { journaledGroups } from '@data-designer/dataset/journal';
import {
  type Executor,
  GRACE_MS,
  type GroupChannels,
  LEAVE_GRACE_MS,
  type RowGroupResult,
} from '@data-designer/engine/parts';
import type { Machine } from '../machine/machine.ts';
import type { GroupQueue } from '../redis/group-queue.ts';
import type { Answer, PollReply, PollRequest } from '../redis/run-state.ts';
import { STOP_MS, type Timing, within } from '../timing.ts';
import { balanceGroups } from '../machine/balance-groups.ts';
import type { CoordinatorLease } from './coordinator-lease.ts';
import { LeftGroups } from './left-groups.ts';
import { MachineList, type SeenBeat } from './machine-list.ts';

/** The journal of a committed group stays for a while: another machine may just be opening it. */
const JOURNALS_STAY_MS = 60_000;
/** How long the coordinator waits for Redis when all rows are made. */
const GOODBYE_TIMEOUT_MS = 5000;

/** What the coordinator of a run uses. */
export interface CoordinatorParts {
  readonly machine: Machine;
  readonly lease: CoordinatorLease;
  readonly queue: GroupQueue;
  readonly timing: Timing;
  readonly paths: DatasetPaths;
  readonly cluster: ClusterPaths;
  /** The number of journaled answers to changed requests, by row group. */
  readonly voided: ReadonlyMap<number, number>;
  readonly local: Pick<Executor, 'run'>;
  /** Resolves once with why the run ends before all rows are made. */
  readonly ending: Promise<DataDesignerError>;
  /** Aborted when this machine is to leave the run: another one coordinates it, or it ends if there is none. */
  readonly leave: AbortSignal;
  /** Ends the run on all machines; pending answers may take so long. */
  readonly end: (reason: DataDesignerError, options?: { readonly graceMs: number }) => void;
  /** Whether this machine makes groups too. */
  readonly works: boolean;
  /** Takes the reports of the other machines. */
  readonly onMachines: (machines: readonly SeenBeat[]) => void;
}

/**
 * Has the groups of a run made by its machines: fills the queue, reads the records of committed groups, and ends the run on
 * all machines. Its lease may move to another machine; Redis may forget everything.
 */
export class Coordinator {
  readonly #parts: CoordinatorParts;
  readonly #left: LeftGroups;
  readonly #ready: RowGroupResult[] = [];
  /** The committed groups whose journals are still there, with the time of the commit and their failed cells. */
  readonly #journals = new Map<number, { readonly committedAt: number; readonly failures: readonly CellFailure[] }>();
  readonly #machines: MachineList;
  #hasBegun = false;
  /** What the other machines do not know yet. */
  #accepted: ReadonlyMap<string, boolean> = new Map();
  #ending: DataDesignerError | undefined;
  /** How long pending answers may take once the run ends. */
  #graceMs = GRACE_MS;
  /** Whether the folder says why the run ends, so that the machines may learn it. */
  #isEnding = false;
  #failure: DataDesignerError | undefined;
  #wake = Promise.withResolvers<void>();
  /** The polls, one after the other. */
  #polling: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(parts: CoordinatorParts) {
    this.#parts = parts;
    this.#machines = new MachineList(parts);
    this.#left = new LeftGroups({
      ...parts,
      checkCommitted: (group) => this.#committed(group),
      isTaken: (group) => isTaken(parts.cluster.epochsOf(group)),
      requestReports: () => parts.machine.requestReport(),
    });
    void parts.ending.then((reason) => {
      this.#ending = reason;
      this.#wake.resolve();
    });
    for (const lost of [parts.machine.failed, parts.lease.lost]) lost.catch((failure: unknown) => this.#fail(failure));
    parts.leave.addEventListener('abort', () => this.#wake.resolve(), { once: true });
  }

  /** Has the groups made; yields each result once, whichever machine made it. */
  async *run(groups: Iterable<RowGroup>, channels: GroupChannels): AsyncGenerator<RowGroupResult> {
    const { machine } = this.#parts;
    this.#left.begin(groups);
    this.#hasBegun = true;
    try {
      void machine.watchLeases().catch((failure: unknown) => this.#fail(failure));
      machine.report();
      machine.reportNow();
      while (this.#ending === undefined && !this.#left.isEmpty) {
        yield* this.#takeReady();
        if (this.#failure) throw this.#failure;
        if (this.#parts.leave.aborted) await this.#leave();
        else await this.#next();
      }
      yield* this.#takeReady();
      if (this.#ending) yield* this.#end(this.#ending, channels);
      await this.#finish();
    } catch (failure) {
      // Its groups go to the others at once.
      if (isFailure(failure, 'cluster/taken-over')) await machine.stop();
      throw failure;
    }
  }

  /** What this machine sends with its report; undefined if it may not coordinate the run. */
  pollRequest(): PollRequest | undefined {
    const { lease, works, machine } = this.#parts;
    if (!this.#hasBegun || this.#isOver || !lease.mayRenew) return undefined;
    const machines = (machine.worksAlone ? 0 : this.#machines.working.length) + (works ? 1 : 0);
    return { hasEnding: this.#isEnding, machines, accepted: this.#accepted };
  }

  /** Takes the answer to a report of this machine. */
  onAnswer({ poll, queue, coordinator }: Answer): void {
    const { lease, machine } = this.#parts;
    // The report may have been sent before the run began.
    if (poll || (coordinator !== undefined && coordinator !== machine.id)) lease.renewed(poll !== undefined);
    if (poll) this.#polling = this.#polling.then(() => this.#take(poll, queue.waiting));
  }

  /** Stops to coordinate; another machine may go on. */
  close(): void {
    this.#isOver = true;
    this.#fail(new DataDesignerError('run/aborted', { reason: 'the run has been closed' }));
  }

  /** This machine has committed a group. */
  onCommitted(group: number): void {
    this.#committed(group).catch((failure: unknown) => this.#fail(failure));
  }

  /** A machine has committed a group, or reports that it has. */
  async #committed(group: number): Promise<void> {
    const { cluster, paths } = this.#parts;
    if (!this.#left.has(group)) return;
    const record = await readCommit<RowGroupResult>(cluster.commit(group));
    if (!record) return;
    // Its machine may have been lost before it did.
    await placeFiles(paths.folder, record);
    // Without a wait in between: the run is over when no group is left and no result is ready.
    if (!this.#left.delete(group)) return;
    const { result } = record;
    // An abandoned group stays unfinished: the run writes its mark.
    this.#ready.push(result.abandoned ? result : { ...result, isCommitted: true });
    if (record.files !== null) this.#journals.set(group, { committedAt: performance.now(), failures: result.failures });
    this.#wake.resolve();
  }

  *#takeReady(): Generator<RowGroupResult> {
    for (let result = this.#ready.shift(); result; result = this.#ready.shift()) yield result;
  }

  async #next(): Promise<void> {
    if (this.#ready.length > 0) return;
    await this.#wake.promise;
    this.#wake = Promise.withResolvers();
  }

  /** Takes the reports of machines, and compares the queue with the remaining groups. */
  async #take({ beats, accepted, committed, active }: PollReply, waiting: number): Promise<void> {
    const { onMachines, machine } = this.#parts;
    if (this.#isOver) return;
    try {
      for (const group of committed) await this.#committed(group);
      this.#machines.take(beats);
      this.#accepted = this.#machines.accept(accepted);
      if (this.#accepted.size > 0) machine.reportNow();
      const seen = this.#machines.seen();
      onMachines(seen.map((one) => ({ ...one, open: one.open.filter(({ group }) => this.#left.has(group)) })));
      if (!this.#ending && !(await this.#fill(waiting, active))) await this.#balance(waiting, active);
      await this.#removeJournals();
    } catch (thrown) {
      // Without the folder nothing can go on. Without Redis machines make their open groups. The next poll repairs what it has lost.
      if (thrown instanceof DataDesignerError) this.#fail(thrown);
      else this.#parts.queue.link.failed(thrown);
    }
  }

  #fail(failure: unknown): void {
    this.#failure ??= DataDesignerError.fromUnknown(failure);
    this.#wake.resolve();
  }

  /** Has another machine coordinate the run, which ends this one's part; without another machine the run ends. */
  async #leave(): Promise<void> {
    const { lease, leave, end, ending, machine, paths } = this.#parts;
    const graceMs = LEAVE_GRACE_MS;
    for (const { id } of this.#machines.successors) {
      const [isPassed] = await Promise.all([lease.pass(id), machine.stop({ graceMs })]);
      if (isPassed) throw new DataDesignerError('cluster/handed-over', { path: paths.folder, rows: machine.rows });
    }
    this.#graceMs = graceMs;
    end(stopFailure(leave), { graceMs });
    await ending;
  }

  /** Has machines without a group take one that waits, or one that another machine has not begun. */
  async #balance(waiting: number, active: readonly number[]): Promise<void> {
    const { machine, works } = this.#parts;
    if (machine.worksAlone) return;
    const own = works ? [{ id: machine.id, open: machine.progress }] : [];
    const { idle, keep } = balanceGroups([...own, ...this.#machines.working], { waiting, active: active.length });
    for (const id of idle) if (id !== machine.id) await machine.requestReport(id);
    for (const [id, groups] of keep) {
      if (id === machine.id) machine.giveBack(groups);
      else await machine.requestGiveBack(id, groups);
    }
  }

  /** Adds groups to the queue: further ones, and those that are neither in the queue nor on a machine; returns whether it did. */
  async #fill(waiting: number, active: readonly number[]): Promise<boolean> {
    const { machine } = this.#parts;
    const open = new Set([...active, ...machine.openGroups]);
    for (const { open: groups } of this.#machines.present) for (const { group } of groups) open.add(group);
    const added = await this.#left.fill(waiting, open).finally(() => {
      // All groups may have been committed before.
      if (this.#left.isEmpty) this.#wake.resolve();
    });
    if (added === 0) return false;
    machine.serve({ waiting: waiting + added, active: active.length, machines: this.pollRequest()?.machines ?? 1 });
    if (this.#machines.working.length > 0) await machine.requestReport();
    return true;
  }

  async #removeJournals(): Promise<void> {
    const { paths } = this.#parts;
    for (const [group, { committedAt, failures }] of this.#journals) {
      if (performance.now() - committedAt < JOURNALS_STAY_MS) return;
      this.#journals.delete(group);
      await keepLostAnswers(paths, group, failures);
    }
  }

  /** Ends the run on all machines, then makes what the journals of unfinished groups hold. */
  async *#end(reason: DataDesignerError, channels: GroupChannels): AsyncGenerator<RowGroupResult> {
    const { cluster, machine, lease, local, paths, timing } = this.#parts;
    await lease.refuseLost();
    await writeJsonFile(cluster.ending, reason.toWire());
    this.#isEnding = true;
    machine.reportNow();
    const deadline = performance.now() + this.#graceMs + timing.silenceMs;
    await machine.stop({ graceMs: this.#graceMs });
    // A machine reports its end within the time that its report counts.
    for (;;) {
      await sleep(timing.beatMs);
      if (this.#machines.present.every(({ hasStopped }) => hasStopped) || performance.now() > deadline) break;
    }
    for (const { index } of this.#left) await this.#committed(index);
    yield* this.#takeReady();
    const journaled = await journaledGroups(paths.journals);
    const begun = [...this.#left].filter(({ index }) => journaled.has(index));
    if (begun.length > 0) yield* local.run(begun, channels);
  }

  /** Moves the records into the logs, once no machine makes rows. */
  async #finish(): Promise<void> {
    const { machine, lease, paths, queue, voided } = this.#parts;
    this.#isOver = true;
    // All groups are committed: an attempt that does not end is one too many.
    await within(STOP_MS, machine.stop());
    await lease.refuseLost();
    await mergeCommits(paths, { reRequested: voided });
    await queue.link.within(GOODBYE_TIMEOUT_MS, queue.remove());
  }
}
