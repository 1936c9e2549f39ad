import type { ResourceShare, ResourceUse, RoundEnds } from './cluster-limits.ts';
import type { Ending, EndState, Grant, PermitSource, SentRequest } from './permit-source.ts';

/** A quarter more than was used. */
const SPARE = 1.25;
/** After this time without a grant, permits that are not in use are returned to the other machines. */
export const UNUSED_MS = 300;
const NO_ENDS: RoundEnds = { answered: 0, refused: 0, lowest: 1 };

/** What the permits of a model need from the shares of this machine. */
export interface SharesState {
  /** Whether requests may be sent: the shares are good, and the budget is not used up. */
  readonly mayUse: (time: number) => boolean;
  /** Asks for an early exchange. */
  readonly exchangeNow: () => void;
  /** Permits above the new share have become free for others: all of them, or some. */
  readonly returned: (what: { readonly isAll: boolean }) => void;
  /** A call waits for a larger share. */
  readonly short: () => void;
  /** Much of the share is not in use. */
  readonly unused: () => void;
}

/** Grants the permits of this machine's share of a model, and counts how requests end for the shared limit. */
export class ClusterPermits implements PermitSource {
  readonly #cap: number;
  readonly #state: SharesState;
  #permits = 0;
  #wanted = 0;
  #limit = 1;
  #machines = 1;
  #round = 0;
  #stoppedUntil = 0;
  /** The most requests in flight since the last exchange. */
  #most = 0;
  #grantedAt = -Infinity;
  #granted = new Map<number, number>();
  #ends = new Map<number, RoundEnds>();
  /** The fewest requests in flight when one was refused. */
  #accepted = Infinity;
  #retryAfterMs = 0;
  #connectMs: number | undefined;
  /** Whether the last share was larger than the one before, and the limit is not at its cap. */
  #mayGrow = false;
  /** Whether requests above the new share are still in flight. */
  #isAbove = false;

  constructor(cap: number, state: SharesState) {
    this.#cap = cap;
    this.#state = state;
  }

  /** The share, and at least an equal part: the share of a machine without work is small. */
  get size(): number {
    return Math.max(1, this.#permits, Math.ceil(this.#limit / this.#machines));
  }

  permits(time: number): number {
    return time < this.#stoppedUntil || !this.#state.mayUse(time) ? 0 : this.#permits;
  }

  untilMore(time: number): number | undefined {
    if (time < this.#stoppedUntil) return this.#stoppedUntil - time;
    // A call waits, and other machines have the rest of the limit.
    if (this.#permits < this.#limit) this.#state.short();
    return undefined;
  }

  /** The part of the limit in use is estimated by that of the share: machines with work use theirs alike. */
  grant(inFlight: number, time: number): Grant {
    this.#grantedAt = time;
    this.#most = Math.max(this.#most, inFlight);
    this.#granted.set(this.#round, (this.#granted.get(this.#round) ?? 0) + 1);
    return { inFlight: Math.min(1, inFlight / Math.max(1, this.#permits)), round: this.#round };
  }

  sent(_: Grant, { connectMs }: SentRequest): void {
    // The shared limit grows on as soon as its owner knows that all of a new share was sent.
    if (this.#mayGrow && this.#connectMs === undefined) this.#state.exchangeNow();
    this.#connectMs = Math.min(this.#connectMs ?? Infinity, connectMs);
  }

  end({ inFlight: part, round }: Grant, ending: Ending, { inFlight, time }: EndState): void {
    if (this.#isAbove) {
      this.#isAbove = inFlight > this.#permits;
      this.#state.returned({ isAll: !this.#isAbove });
    }
    if (this.#isUnused(inFlight)) this.#state.unused();
    if (ending.kind === 'other') return;
    const { answered, refused, lowest } = this.#ends.get(round) ?? NO_ENDS;
    const isRefused = ending.kind === 'refused';
    const counts = isRefused
      ? { answered, refused: refused + 1, lowest: Math.min(lowest, part) }
      : { answered: answered + 1, refused, lowest };
    this.#ends.set(round, counts);
    if (!isRefused) return;
    this.#accepted = Math.min(this.#accepted, inFlight);
    // Until the shared limit is known, refused requests are not sent again.
    this.#permits = Math.max(0, this.#permits - 1);
    const { retryAfterMs = 0 } = ending;
    this.#retryAfterMs = Math.max(this.#retryAfterMs, retryAfterMs);
    if (retryAfterMs > 0) this.#stoppedUntil = Math.max(this.#stoppedUntil, time + retryAfterMs);
    this.#state.exchangeNow();
  }

  /** Whether calls wait for a larger share, which others may return; the owner of the limit publishes when it grows. */
  isShort(time: number, { inFlight, waiting }: { readonly inFlight: number; readonly waiting: number }): boolean {
    return waiting > 0 && inFlight >= this.#permits && this.#permits < this.#limit && time >= this.#stoppedUntil;
  }

  /** Whether the share is larger than the use. */
  isFree({ inFlight }: { readonly inFlight: number }): boolean {
    return inFlight < this.#permits;
  }

  /** Whether the share may soon grow again, as the limit does. */
  get mayGrow(): boolean {
    return this.#mayGrow;
  }

  /** Whether the share is all that this machine has asked for. */
  get isEnough(): boolean {
    return this.#permits >= this.#wanted;
  }

  /** Wants no more than what is in use now, if no call has needed the rest for a while; returns whether that is so. */
  returnUnused(time: number, { inFlight }: { readonly inFlight: number }): boolean {
    if (!this.#isUnused(inFlight) || time - this.#grantedAt < UNUSED_MS) return false;
    this.#most = inFlight;
    return true;
  }

  /** Whether half of a share that matters to the others is free. */
  #isUnused(inFlight: number): boolean {
    const part = this.#limit / this.#machines;
    return (
      this.#machines > 1 && this.#permits >= part / 4 && this.#permits - inFlight >= Math.max(1, this.#permits / 2)
    );
  }

  /** The use since the last call. Until the next share, no more than `held` is in use. */
  use({ inFlight, waiting, isGood }: { inFlight: number; waiting: number; isGood: boolean }): ResourceUse {
    const wanted = (this.#wanted = Math.min(this.#cap, Math.max(Math.ceil(SPARE * this.#most), inFlight + waiting)));
    this.#permits = Math.max(inFlight, isGood ? Math.min(this.#permits, wanted) : 0);
    const use = {
      permits: { held: this.#permits, wanted },
      inFlight: this.#accepted === Infinity ? inFlight : this.#accepted,
      granted: Object.fromEntries(this.#granted),
      ends: Object.fromEntries(this.#ends),
      retryAfterMs: this.#retryAfterMs,
      ...(this.#connectMs === undefined ? {} : { connectMs: this.#connectMs }),
    };
    this.#most = inFlight;
    this.#granted = new Map();
    this.#ends = new Map();
    this.#accepted = Infinity;
    this.#retryAfterMs = 0;
    this.#connectMs = undefined;
    return use;
  }

  /** Takes a new share; returns whether it is larger than before. */
  take({ permits, limit, round, stoppedMs }: ResourceShare, now: EndState & { readonly machines: number }): boolean {
    const isMore = permits > this.#permits;
    this.#mayGrow = isMore && limit < this.#cap;
    this.#permits = permits;
    this.#limit = limit;
    this.#round = round;
    this.#machines = now.machines;
    this.#isAbove = now.inFlight > permits;
    if (stoppedMs > 0) this.#stoppedUntil = Math.max(this.#stoppedUntil, now.time + stoppedMs);
    return isMore;
  }
}
