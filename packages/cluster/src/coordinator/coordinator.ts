import { setTimeout as sleep } from 'node:timers/promises';
import { DataDesignerError, isFailure, type RowGroup, stopFailure } from '@data-designer/core';
import {
  type ClusterPaths,
  type DatasetPaths,
  mergeCommits,
  placeFiles,
  readCommit,
  writeJsonFile,
} from '@data-designer/dataset';
import { folderJournal, journaledGroups, orStorageFailure } from '@data-designer/dataset/journal';
import { type Executor, GRACE_MS, type GroupChannels, type RowGroupResult } from '@data-designer/engine/parts';
import type { RunEnd } from '@data-designer/engine';
import type { Machine } from '../machine/machine.ts';
import type { GroupQueue } from '../redis/group-queue.ts';
import type { RunState } from '../redis/run-state.ts';
import { type Timing, within } from '../timing.ts';
import type { CoordinatorLease } from './coordinator-lease.ts';
import { MachineRoll, type SeenBeat } from './machine-roll.ts';

/** The queue holds at most this many groups that wait: more are added as machines take them. */
const MOST_WAITING = 10_000;
/** How often in a row a group must be neither in the queue nor on a machine before it is added again. */
const ABSENT_LOOKS = 3;
/** How many beats pass between two comparisons of the queue with the groups that are left. */
const BEATS_PER_LOOK = 2;
/** The journal of a committed group stays for a while: another machine may just be opening it. */
const JOURNALS_STAY_MS = 60_000;
/** How long the coordinator waits for Redis when all rows are made. */
const FAREWELL_MS = 5000;

/** What the coordinator of a run uses. */
export interface CoordinatorParts {
  readonly machine: Machine;
  readonly lease: CoordinatorLease;
  readonly state: RunState;
  readonly queue: GroupQueue;
  readonly timing: Timing;
  readonly paths: DatasetPaths;
  readonly cluster: ClusterPaths;
  /** The number of journaled answers to changed requests, by row group. */
  readonly voided: ReadonlyMap<number, number>;
  readonly local: Pick<Executor, 'run'>;
  /** Resolves once with why the run ends before all rows are made. */
  readonly ending: Promise<RunEnd>;
  /** Aborted when this machine is to leave the run: another one coordinates it, or it ends if there is none. */
  readonly leave: AbortSignal;
  /** Ends the run on all machines. */
  readonly end: (reason: DataDesignerError) => void;
  /** Takes the reports of the other machines. */
  readonly onMachines: (machines: readonly SeenBeat[]) => void;
}

/**
 * Has the groups of a run made by its machines: fills the queue, reads the records of committed groups, and ends the run on
 * all machines. Its lease may move to another machine; Redis may forget everything.
 */
export class Coordinator {
  readonly #parts: CoordinatorParts;
  readonly #left = new Map<number, RowGroup>();
  readonly #ready: RowGroupResult[] = [];
  /** How often each group was found nowhere. */
  readonly #absent = new Map<number, number>();
  /** The committed groups whose journals are still there, with the time of the commit. */
  readonly #journals = new Map<number, number>();
  readonly #roll: MachineRoll;
  #groups: Iterator<RowGroup> = [][Symbol.iterator]();
  #hasMore = true;
  #ending: RunEnd | undefined;
  #failure: DataDesignerError | undefined;
  #wake = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;
  #looks = 0;
  #isLooking = false;
  #isOver = false;

  constructor(parts: CoordinatorParts) {
    this.#parts = parts;
    this.#roll = new MachineRoll(parts);
    void parts.ending.then((reason) => {
      this.#ending = reason;
      this.#wake.resolve();
    });
    for (const lost of [parts.machine.failed, parts.lease.lost]) lost.catch((failure: unknown) => this.#fail(failure));
    parts.leave.addEventListener('abort', () => this.#wake.resolve(), { once: true });
  }

  /** Has the groups made; yields each result once, whichever machine made it. */
  async *run(groups: Iterable<RowGroup>, channels: GroupChannels): AsyncGenerator<RowGroupResult> {
    this.#groups = groups[Symbol.iterator]();
    this.#timer = setInterval(() => void this.#look(), this.#parts.timing.beatMs);
    try {
      void this.#look();
      while (this.#ending === undefined && (this.#hasMore || this.#left.size > 0)) {
        yield* this.#take();
        if (this.#failure) throw this.#failure;
        if (this.#parts.leave.aborted) await this.#leave();
        else await this.#next();
      }
      yield* this.#take();
      if (this.#ending) yield* this.#end(this.#ending, channels);
      await this.#finish();
    } catch (failure) {
      // Its groups go to the others at once.
      if (isFailure(failure, 'cluster/taken-over')) await this.#parts.machine.stop();
      throw failure;
    } finally {
      clearInterval(this.#timer);
    }
  }

  /** Stops to coordinate; another machine may go on. */
  close(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
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
    if (record.files !== null) this.#journals.set(group, performance.now());
    this.#wake.resolve();
  }

  *#take(): Generator<RowGroupResult> {
    for (let result = this.#ready.shift(); result; result = this.#ready.shift()) yield result;
  }

  async #next(): Promise<void> {
    if (this.#ready.length > 0) return;
    await this.#wake.promise;
    this.#wake = Promise.withResolvers();
  }

  /** Reads the reports of machines, and compares the queue with the remaining groups. */
  async #look(): Promise<void> {
    const { lease, state, onMachines } = this.#parts;
    if (this.#isLooking || this.#isOver || !lease.isLeading) return;
    this.#isLooking = true;
    try {
      for (const group of await state.notices()) await this.#committed(group);
      this.#roll.take(await state.others(this.#parts.machine.id));
      await this.#roll.accept();
      const seen = this.#roll.seen();
      onMachines(seen.map((one) => ({ ...one, open: one.open.filter(({ group }) => this.#left.has(group)) })));
      await state.announce({ hasEnding: this.#ending !== undefined, isOver: false });
      if (this.#looks++ % BEATS_PER_LOOK === 0 && !this.#ending) await this.#fill();
      await this.#removeJournals();
    } catch (thrown) {
      // Without the folder nothing can go on. Without Redis machines make their open groups; the next look repairs what it has lost.
      if (thrown instanceof DataDesignerError) this.#fail(thrown);
    } finally {
      this.#isLooking = false;
    }
  }

  #fail(failure: unknown): void {
    this.#failure ??= DataDesignerError.fromUnknown(failure);
    this.#wake.resolve();
  }

  /** Has another machine coordinate the run, which ends this one's part; without another machine the run ends. */
  async #leave(): Promise<void> {
    const { lease, leave, end, ending, machine, paths } = this.#parts;
    const [successor] = this.#roll.working;
    if (successor) {
      const [isPassed] = await Promise.all([lease.pass(successor.id), machine.stop()]);
      if (isPassed) throw new DataDesignerError('cluster/handed-over', { path: paths.folder, rows: machine.rows });
    }
    end(stopFailure(leave));
    await ending;
  }

  /** Adds groups to the queue: further ones, and those that are neither in the queue nor on a machine. */
  async #fill(): Promise<void> {
    const { queue, machine } = this.#parts;
    const { waiting, active } = await queue.groups();
    const known = new Set([...waiting, ...active, ...machine.openGroups]);
    for (const { open } of this.#roll.present) for (const { group } of open) known.add(group);
    const added: number[] = [];
    for (const group of this.#left.keys()) {
      const looks = known.has(group) ? 0 : (this.#absent.get(group) ?? 0) + 1;
      if (looks === 0) this.#absent.delete(group);
      else this.#absent.set(group, looks);
      if (looks < ABSENT_LOOKS) continue;
      await this.#committed(group);
      if (this.#left.has(group)) added.push(group);
    }
    while (waiting.length + added.length < MOST_WAITING && this.#hasMore) {
      const next = this.#groups.next();
      if (next.done) {
        this.#hasMore = false;
        this.#wake.resolve();
        break;
      }
      const { index } = next.value;
      this.#left.set(index, next.value);
      // After a change of the coordinator many are committed.
      await this.#committed(index);
      if (this.#left.has(index) && !known.has(index)) added.push(index);
    }
    await queue.add(added);
    for (const group of added) this.#absent.delete(group);
  }

  async #removeJournals(): Promise<void> {
    const { paths } = this.#parts;
    for (const [group, committedAt] of this.#journals) {
      if (performance.now() - committedAt < JOURNALS_STAY_MS) return;
      this.#journals.delete(group);
      const path = paths.journal(group);
      await orStorageFailure(path, () => folderJournal(path).remove());
    }
  }

  /** Ends the run on all machines, then makes what the journals of unfinished groups hold. */
  async *#end(reason: RunEnd, channels: GroupChannels): AsyncGenerator<RowGroupResult> {
    const { cluster, machine, lease, local, paths, timing } = this.#parts;
    await lease.refuseLost();
    await writeJsonFile(cluster.ending, reason);
    const deadline = performance.now() + GRACE_MS + timing.silenceMs;
    await machine.stop();
    // A machine reports its end within the time that its report counts.
    for (;;) {
      await sleep(timing.beatMs);
      if (this.#roll.present.every(({ hasStopped }) => hasStopped) || performance.now() > deadline) break;
    }
    for (const group of this.#left.keys()) await this.#committed(group);
    yield* this.#take();
    const journaled = await journaledGroups(paths.journals);
    const begun = [...this.#left.values()].filter(({ index }) => journaled.has(index));
    if (begun.length > 0) yield* local.run(begun, channels);
  }

  /** Moves the records into the logs, once no machine makes rows. */
  async #finish(): Promise<void> {
    const { machine, lease, paths, queue, voided } = this.#parts;
    this.#isOver = true;
    await machine.stop();
    await lease.refuseLost();
    await mergeCommits(paths, { rebought: voided });
    await within(FAREWELL_MS, queue.remove());
  }
}
