import { setTimeout as sleep } from 'node:timers/promises';
import { DataDesignerError } from '@data-designer/core';
import type { DatasetFolder } from '@data-designer/dataset';
import type { RunState } from '../redis/run-state.ts';
import type { Timing } from '../timing.ts';

/** How often the lease is renewed while it lasts. */
const RENEWALS = 4;
/** How long another machine may take to begin to coordinate, at most. */
const PASS_MS = 4000;
const POLL_MS = 250;
/** How long the end of a machine may wait for Redis. */
const CLOSE_MS = 2000;

/** The folder of a run, as far as the lease uses it. */
type LeasedFolder = Pick<DatasetFolder, 'path' | 'isHeld'>;

/**
 * The right to coordinate a run. The lease in Redis decides which machine may take the lock of the folder; the lock decides
 * which machine coordinates, since Redis may forget everything.
 */
export class CoordinatorLease implements AsyncDisposable {
  readonly #id: string;
  readonly #state: RunState;
  readonly #timing: Timing;
  readonly #lost = Promise.withResolvers<never>();
  readonly #timer: NodeJS.Timeout;
  #folder: LeasedFolder | undefined;
  #isLeading = true;
  #isPassed = false;
  #isLost = false;
  #isRenewing = false;
  #renewedAt = -Infinity;

  constructor(id: string, { state, timing }: { readonly state: RunState; readonly timing: Timing }) {
    this.#id = id;
    this.#state = state;
    this.#timing = timing;
    // A lease of which nobody asks whether it is lost must not end the process.
    this.#lost.promise.catch(() => {});
    this.#timer = setInterval(() => void this.#keep(), timing.coordinatorMs / RENEWALS);
    void this.#keep();
  }

  /** Whether this machine may speak for the run now. */
  get isLeading(): boolean {
    return this.#isLeading;
  }

  /** Whether this machine may renew its lease. */
  get mayRenew(): boolean {
    return !this.#isLost && !this.#isPassed;
  }

  /** A report has renewed the lease, unless another machine has it. */
  renewed(isLeading: boolean): void {
    if (!this.mayRenew) return;
    this.#isLeading = isLeading;
    this.#renewedAt = performance.now();
  }

  /** Rejects once another machine has taken over, or the folder cannot be read; never resolves. */
  get lost(): Promise<never> {
    return this.#lost.promise;
  }

  /** Watches the lock of a folder that this machine has opened. */
  hold(folder: LeasedFolder): void {
    this.#folder = folder;
    void this.#keep();
  }

  /** Throws `cluster/taken-over` if another machine has the folder. */
  async refuseLost(): Promise<void> {
    await this.#checkLock();
    if (this.#isLost) await this.#lost.promise;
  }

  /** Gives the lease to another machine, and waits until that machine has the folder; false if it does not take it. */
  async pass(to: string): Promise<boolean> {
    this.#isPassed = true;
    this.#isLeading = false;
    const { beatMs } = this.#timing;
    const { link } = this.#state;
    const passMs = Math.min(this.#timing.coordinatorMs, PASS_MS);
    await link.within(passMs, this.#state.pass(this.#id, to));
    // Without Redis no machine learns of it: this one is left as a lost one, or hands over once Redis is back.
    for (let end = performance.now() + passMs; performance.now() < end; await sleep(Math.min(beatMs / 2, POLL_MS))) {
      await this.#checkLock();
      if (this.#isLost) return true;
      if (link.watch.away) end = performance.now() + passMs;
    }
    this.#isPassed = false;
    await link.within(passMs, this.#renew());
    return false;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  /** Gives the lease up: any machine may take it. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    this.#isPassed = true;
    this.#isLeading = false;
    await this.#state.link.within(CLOSE_MS, this.#state.release(this.#id));
  }

  async #keep(): Promise<void> {
    await this.#checkLock();
    if (!this.mayRenew || this.#isRenewing) return;
    // A report of this machine did it.
    if (performance.now() - this.#renewedAt < this.#timing.coordinatorMs / RENEWALS) return;
    this.#isRenewing = true;
    try {
      // Waits as long as Redis is away.
      await this.#renew();
    } catch (thrown) {
      this.#state.link.failed(thrown);
    } finally {
      this.#isRenewing = false;
    }
  }

  async #renew(): Promise<void> {
    const isLeading = await this.#state.lead(this.#id);
    if (this.mayRenew) this.#isLeading = isLeading;
  }

  async #checkLock(): Promise<void> {
    const folder = this.#folder;
    if (!folder) return;
    try {
      if (await folder.isHeld()) return;
      this.#lose(new DataDesignerError('cluster/taken-over', { path: folder.path }));
      // A machine that was suspended may have renewed the lease before it saw the lock.
      void this.#state.release(this.#id).catch(this.#state.link.failed);
    } catch (failure) {
      this.#lose(DataDesignerError.fromUnknown(failure));
    }
  }

  #lose(failure: DataDesignerError): void {
    clearInterval(this.#timer);
    this.#isLeading = false;
    this.#isLost = true;
    this.#lost.reject(failure);
  }
}

/**
 * Takes the lease of a run in the name of `id` if all its machines are lost, after a while without a report and without a
 * coordinator, so that no other machine continues the run meanwhile. False if they are not.
 */
export async function takeLeaseIfLost(state: RunState, timing: Timing, id: string): Promise<boolean> {
  const end = performance.now() + timing.coordinatorMs + timing.silenceMs;
  for (let absent = 0; performance.now() < end; await sleep(timing.beatMs)) {
    absent = (await state.hasNoMachine()) ? absent + 1 : 0;
    if (absent >= ABSENT_POLLS) return state.lead(id);
  }
  return false;
}

/** A Redis that has forgotten everything knows no machine until they report again, after 4.5 beats at most. */
const ABSENT_POLLS = 6;
