import { hostname } from 'node:os';
import { DataDesignerError, type RowGroup, rowsIn, type WireFailure } from '@data-designer/core';
import { type RunStage, stageOfRun } from '@data-designer/dataset';
import type { ModelState } from '@data-designer/gateway';
import { type Executor, GRACE_MS, type GroupChannels, type GroupProgress } from '@data-designer/engine/parts';
import { GroupWorker, type QueueState } from '../redis/group-queue.ts';
import type { RedisLink } from '../redis/open-redis.ts';
import type { Answer, Beat, PollRequest, RunState } from '../redis/run-state.ts';
import { singleMachineTools } from '../single-machine.ts';
import type { Timing } from '../timing.ts';
import type { AttemptParts } from './group-attempt.ts';
import { MachineReports } from './machine-reports.ts';
import { OpenGroups } from './open-groups.ts';

/** What a machine uses. */
export interface MachineParts extends Omit<AttemptParts, 'channels'> {
  readonly link: RedisLink;
  readonly state: RunState;
  readonly timing: Timing;
  readonly local: Executor;
  readonly groups: readonly RowGroup[];
}

/** The callbacks of a machine to its process; they must not throw. */
interface MachineHooks {
  /** This machine has committed a group, or found it committed. */
  readonly onCommitted?: (group: number) => void;
  /** A failure that every row would meet; without this the machine fails. */
  readonly onFatal?: (group: number, failure: DataDesignerError) => void;
  /** An answer to a report. */
  readonly onAnswer?: (answer: Answer) => void;
  /** What the coordinator sends with its report. */
  readonly poll?: () => PollRequest | undefined;
  /** The machine was suspended. */
  readonly onWake?: () => Promise<void>;
  /** How far the run is by its files. */
  readonly onStage?: (stage: RunStage) => void;
}

/** One machine of a run: takes row groups from the queue, makes and commits them, and reports every few seconds. */
export class Machine {
  readonly #parts: MachineParts;
  hooks: MachineHooks = {};
  readonly #open: OpenGroups;
  /** The groups that it gives back, and that the queue does not have yet. */
  readonly #returning = new Set<number>();
  readonly #failed = Promise.withResolvers<never>();
  readonly #reports: MachineReports;
  #opening: Promise<GroupWorker> | undefined;
  #worker: GroupWorker | undefined;
  /** The queue as of the last answer. */
  #queue: QueueState | undefined;
  #isWorking = false;
  #models: readonly ModelState[] = [];
  #timer: NodeJS.Timeout | undefined;
  #beats = 0;
  #hasStopped = false;
  #stopping: Promise<void> | undefined;
  #end: WireFailure | undefined;
  /** Whether the machine takes part in the run no more. */
  isClosed = false;

  constructor(parts: MachineParts) {
    this.#parts = parts;
    this.#open = new OpenGroups({
      ...parts,
      onCommitted: (group) => this.#committed(group),
      // On the coordinator it ends the run.
      onFatal: (group, failure) => (this.hooks.onFatal ?? this.#fail)(group, failure),
      onFailed: (failure) => this.#failed.reject(failure),
    });
    this.#failed.promise.catch(() => {});
    this.#reports = new MachineReports({
      id: parts.machine,
      exchange: parts.link.exchange,
      state: parts.state,
      timing: parts.timing,
      beat: () => this.#report(),
      poll: () => this.hooks.poll?.(),
      onAnswer: (answer) => {
        this.hooks.onAnswer?.(answer);
        this.serve(answer.queue);
      },
      onGiveBack: (keep) => this.giveBack(keep),
    });
  }

  get id(): string {
    return this.#parts.machine;
  }

  /** The folder of the run. */
  get folder(): string {
    return this.#parts.paths.folder;
  }

  /** Rejects with a failure that every group of this machine would meet; never resolves. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  /** The rows of the groups that this machine has committed. */
  get rows(): number {
    return this.#open.rows;
  }

  /** The finished rows of the groups that it has open. */
  get openRows(): number {
    return rowsIn(this.progress);
  }

  /** The channels of its groups: those of the coordinator's run, or its own. */
  get channels(): GroupChannels | undefined {
    return this.#open.channels;
  }

  set channels(channels: GroupChannels) {
    this.#open.channels = channels;
  }

  /** Whether other machines of the run stand by. */
  get worksAlone(): boolean {
    return singleMachineTools(this.#parts.plan).length > 0;
  }

  /** The groups that this machine works on. */
  get openGroups(): Iterable<number> {
    return this.#open.groups;
  }

  /** The progress of these groups. */
  get progress(): readonly GroupProgress[] {
    return this.#open.progress;
  }

  /** This process for reports. */
  get self() {
    return { id: this.id, host: hostname(), pid: process.pid, rows: this.rows };
  }

  /** Starts to report. */
  report(): void {
    this.#timer ??= setInterval(() => void this.#pollFolder(), this.#parts.timing.beatMs);
    void this.#pollFolder();
    this.#reports.start();
  }

  /** Reports at once. */
  reportNow(): void {
    this.#reports.now();
  }

  /** Has all machines report at once, and read what is new; one machine if it is given. */
  async requestReport(machine?: string): Promise<void> {
    await this.#parts.link.exchange.requestReport(machine);
  }

  /** Has another machine give back groups that it has not begun, until it has so many. */
  async requestGiveBack(machine: string, keep: number): Promise<void> {
    await this.#parts.link.exchange.requestGiveBack(machine, keep);
  }

  /** Starts to take groups. */
  async work(): Promise<void> {
    if (this.#isWorking || this.#hasStopped) return;
    this.#isWorking = true;
    const worker = await this.#openWorker();
    if (this.#queue) worker.serve(this.#queue);
  }

  /** Takes the part of this machine of the waiting groups. */
  serve(queue: QueueState): void {
    this.#queue = queue;
    if (this.#isWorking && !this.#hasStopped) this.#worker?.serve(queue);
  }

  /** Puts the groups of lost machines back into the queue from now on. */
  async watchLeases(): Promise<void> {
    const worker = await this.#openWorker();
    await worker.watchLeases();
  }

  /** After a suspension: ends the requests of groups that other machines have taken over. */
  async wake(): Promise<void> {
    await this.hooks.onWake?.();
    await this.#open.endSuperseded(this.#open.groups);
  }

  /** Gives back groups that it has not begun, the last ones first, until it has so many. */
  giveBack(keep: number): void {
    for (const group of this.#open.giveBack(keep)) this.#returning.add(group);
  }

  /** Takes the progress of open groups from the threads. */
  readonly onProgress = (groups: readonly GroupProgress[]): void => {
    this.#open.take(groups);
    // Rather than with the next answer to a report: by then the machine could be without rows.
    if (this.#isWorking && !this.#hasStopped) this.#worker?.takeIfNeeded();
  };

  /** Takes the states of the models. */
  readonly onModels = (models: readonly ModelState[]): void => {
    this.#models = models;
  };

  /** Asks the coordinator to end the run. */
  endRun(reason: DataDesignerError): void {
    this.#end = reason.toWire();
  }

  /** Takes no further groups, waits for pending answers at most so long, and gives back the groups that are not finished. */
  stop({ graceMs = GRACE_MS }: { readonly graceMs?: number } = {}): Promise<void> {
    // Each answer to a report may ask for it, and its end is a report.
    return (this.#stopping ??= this.#stop(graceMs));
  }

  async #stop(graceMs: number): Promise<void> {
    this.#hasStopped = true;
    this.#worker?.pause();
    // Without its gateway nothing is pending.
    await this.#parts.gateway.drain(graceMs).catch(() => {});
    await this.#open.settled();
    if (this.#open.hasReturned) {
      // The queue hears of the groups that are given back.
      await new Promise((resolve) => setTimeout(resolve, RETURN_MS));
      this.#open.hasReturned = false;
      void this.requestReport().catch(this.#parts.link.failed);
    }
    this.#reports.urgently();
  }

  /** Ends the requests of all open groups, whose attempts discard their files: the run is over. */
  async discardOpen(): Promise<void> {
    this.#hasStopped = true;
    this.#worker?.pause();
    this.#open.supersedeAll();
    await this.#open.settled();
  }

  /** Reports to the coordinator that this machine leaves. */
  async leave(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reports.end();
  }

  /** Ends reports and connections of the machine. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.#timer);
    this.#reports.stop();
    this.#hasStopped = true;
    await this.#worker?.close();
  }

  async #openWorker(): Promise<GroupWorker> {
    const { link, timing, local } = this.#parts;
    this.#opening ??= GroupWorker.open({
      link,
      timing,
      slots: local.slots,
      needsMore: () => this.#needsMore,
      make: (group) => this.#open.make(group, { mayBegin: !this.#hasStopped }),
      // The coordinator finds a machine for the groups that it gives back.
      onEnded: (group) => this.#returning.delete(group) && this.#returning.size === 0 && this.#reports.urgently(),
      onLeaseLost: (groups) => this.#leaseLost(groups),
      onIdle: () => this.#reports.urgently(),
    });
    return (this.#worker = await this.#opening);
  }

  /** Whether the open groups have too few rows left to use the permits while further ones are opened. */
  get #needsMore(): boolean {
    const planned = this.#parts.plan.resources.flatMap(({ kind, limit }) => (kind === 'model' ? [{ limit }] : []));
    if (planned.length === 0) return true;
    const limits = this.#models.length > 0 ? this.#models : planned;
    const permits = limits.reduce((sum, { limit }) => sum + limit, 0);
    return this.#open.rowsLeft < 2 * permits;
  }

  #committed(group: number): void {
    this.hooks.onCommitted?.(group);
    // The coordinator knows its own.
    if (!this.hooks.poll) this.#reports.commit(group);
  }

  readonly #fail = (_: number, failure: DataDesignerError): void => this.#failed.reject(failure);

  #leaseLost(groups: readonly number[]): void {
    this.#open.leaseLost(groups);
    void this.#open.endSuperseded(groups);
  }

  #report(): Beat {
    const open = this.progress;
    const hasStopped = this.#hasStopped && open.length === 0;
    return { ...this.self, count: ++this.#beats, open, models: this.#models, hasStopped, end: this.#end };
  }

  /** The folder shows how far the run is, also while Redis is away. */
  async #pollFolder(): Promise<void> {
    try {
      const { paths, cluster } = this.#parts;
      this.hooks.onStage?.(await stageOfRun(paths, cluster));
      await this.#open.endSuperseded(this.#open.withoutLease);
    } catch (failure) {
      this.#failed.reject(DataDesignerError.fromUnknown(failure));
    }
  }
}

/** How long jobs take to go back to the queue. */
const RETURN_MS = 200;
