import { setTimeout as sleep } from 'node:timers/promises';
import { DataDesignerError } from '@data-designer/core';
import { type ClusterPaths, isOffered, offerSession, withdrawOffer } from '@data-designer/dataset';
import type { RunState } from '../redis/run-state.ts';
import type { Timing } from '../timing.ts';

/** How long the end of a lease may wait for Redis. */
const RELEASE_MS = 2000;
/** How long an offer waits for a machine: they poll four times a second, and some may just be closing a run. */
const OFFER_MS = 5000;
const POLL_EVERY_MS = 50;

/** The machine that wants a lease, and the folder for messages. */
interface Holder {
  readonly id: string;
  readonly path: string;
}

/** The lease of a session: one machine at a time coordinates its runs. Renewed until disposed. */
export class SessionLease implements AsyncDisposable {
  readonly #state: RunState;
  readonly #holder: Holder;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;

  private constructor(state: RunState, { beatMs }: Timing, holder: Holder) {
    this.#state = state;
    this.#holder = holder;
    this.#timer = setInterval(() => void this.#renew(), beatMs);
  }

  /** Takes the lease; throws `cluster/taken-over` if another machine has it. */
  static async take(state: RunState, timing: Timing, holder: Holder): Promise<SessionLease> {
    if (!(await state.lead(holder.id))) throw takenOver(holder);
    return new SessionLease(state, timing, holder);
  }

  /** Aborted when another machine has taken the lease, with the failure as its reason. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Offers the lease to the machines that have taken part in the session, gives it up, which `release` does for further
   * renewals of it, and waits. False if no machine takes it.
   */
  async offer(cluster: ClusterPaths, release: () => Promise<void>): Promise<boolean> {
    clearInterval(this.#timer);
    // A machine that finds no offer would take this one for lost.
    await offerSession(cluster, this.#holder.id);
    await release();
    await this.#state.link.within(RELEASE_MS, this.#state.release(this.#holder.id));
    for (let end = performance.now() + OFFER_MS; isOffered(cluster); await sleep(POLL_EVERY_MS)) {
      // A machine checks that it has the files and keys of the session, then takes the offer or gives the lease back.
      if (await this.#hasCandidate()) end = performance.now() + OFFER_MS;
      else if (performance.now() > end) return !(await withdrawOffer(cluster));
    }
    return true;
  }

  /** Whether a machine has the lease, without which none takes an offer. */
  async #hasCandidate(): Promise<boolean> {
    let holder: string | undefined;
    await this.#state.link.within(
      RELEASE_MS,
      this.#state.coordinator().then((found) => (holder = found)),
    );
    return holder !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#state.link.within(RELEASE_MS, this.#state.release(this.#holder.id));
  }

  async #renew(): Promise<void> {
    // Without Redis no machine can take it.
    const isHeld = await this.#state.lead(this.#holder.id).catch((thrown: unknown) => {
      this.#state.link.failed(thrown);
      return true;
    });
    if (!isHeld) this.#lost.abort(takenOver(this.#holder));
  }
}

function takenOver({ path }: Holder): DataDesignerError {
  return new DataDesignerError('cluster/taken-over', { path });
}
