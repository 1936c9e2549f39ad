import { DataDesignerError, type Resource } from '@data-designer/core';
import type { Admission } from './admission.ts';
import { type Clock, systemClock } from './clock.ts';
import { type MachineShares, type MachineUse, type ResourceUse, SHARES_GOOD_MS } from './cluster-limits.ts';
import { ClusterPermits, UNUSED_MS } from './cluster-permits.ts';
import type { PermitSource } from './permit-source.ts';
import { RatedLimit } from './rated-limit.ts';
import { SuspensionWatch } from './suspension-watch.ts';
import type { SpendBounds, SpendLedger } from './spend-ledger.ts';

/** The time between two exchanges: longer with many machines, which all call one Redis, but well within the life of shares. */
const EXCHANGE_EVERY_MS = { least: 2000, perMachine: 450, most: 3500 } as const;
/** The pause before an exchange that cannot wait: more of the same follow at once. */
const GATHER_MS = 5;
/** The least time between two exchanges. */
const LEAST_MS = 20;
/** The time between two exchanges while requests above a smaller share end one after the other. */
const RETURN_MS = 500;
/** The first pause while calls wait for larger shares. */
const SHORT_MS = 40;
/** Each further pause is so many times as long: machines are notified of permits, but not of a budget. */
const PAUSE_GROWS = { permits: 4, budget: 2 } as const;

const MICRO = 1_000_000;

/** What the shares of a machine need. */
interface ClusterSharesOptions {
  /** Null for no budget. */
  readonly maxCost: number | null;
  /** Sends the use to the host thread, which answers by `take`. */
  readonly exchange: (use: MachineUse) => void;
  readonly clock?: Clock;
}

/** A model whose permits are shared. */
interface Shared {
  readonly permits: ClusterPermits;
  readonly rated: RatedLimit | undefined;
  admission?: Admission;
}

/**
 * This machine's shares of the limits of a cluster, in the I/O thread: reports its use every two seconds, with many
 * machines every 3.5 s, and at once where others depend on it. Without an answer the shares end six seconds after the last exchange that was answered.
 */
export class ClusterShares {
  readonly #options: ClusterSharesOptions;
  readonly #clock: Clock;
  readonly #shared = new Map<string, Shared>();
  readonly #spent = new AbortController();
  #cost = 0;
  /** The cost as the others know it. */
  #reportedCost = 0;
  #mayCost = 0;
  #total = 0;
  #goodUntil = 0;
  #askedAt = -Infinity;
  #askedCost = 0;
  #isAsking = false;
  /** Whether to exchange again once the open exchange is answered. */
  #isUrgent = false;
  #watch: SuspensionWatch | undefined;
  /** Whether the machine was suspended since the last answered exchange; `reported` once the open exchange says so. */
  #suspension: 'unreported' | 'reported' | undefined;
  #isOver = false;
  #shortMs = SHORT_MS;
  #everyMs: number = EXCHANGE_EVERY_MS.least;
  #cancelReturn: (() => void) | undefined;
  #next: { readonly at: number; readonly cancel: () => void } | undefined;

  constructor(options: ClusterSharesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** The source of a model's permits. */
  source({ id, limit, requestsPerMinute, tokensPerMinute }: Resource): PermitSource {
    const permits = new ClusterPermits(limit, {
      mayUse: (time) => {
        this.#watch?.check(time);
        return time < this.#goodUntil && this.#mayPay;
      },
      exchangeNow: () => this.exchangeNow(),
      returned: ({ isAll }) =>
        isAll ? this.exchangeNow() : this.#askWithin(this.#askedAt + RETURN_MS - this.#clock.now()),
      short: () => {
        // Also called for the state of the model, which needs no permits.
        if (!this.#shared.get(id)?.admission?.waiting) return;
        this.#askWithin(Math.max(GATHER_MS, this.#askedAt + this.#shortMs - this.#clock.now()));
      },
      unused: () => (this.#cancelReturn ??= this.#clock.after(UNUSED_MS, () => this.#returnUnused())),
    });
    const rates = { requestsPerMinute, tokensPerMinute };
    const rated = requestsPerMinute || tokensPerMinute ? new RatedLimit(permits, rates, { isShare: true }) : undefined;
    this.#shared.set(id, { permits, rated });
    return rated ?? permits;
  }

  /** The ledger of the budget, which all machines spend. */
  ledger({ maxCost, spentBefore }: SpendBounds): SpendLedger {
    this.#total = spentBefore * MICRO;
    if (spentBefore >= maxCost) this.#end();
    const total = (): number => this.#total / MICRO;
    return {
      add: (cost) => {
        this.#cost += cost * MICRO;
        this.#total += cost * MICRO;
        if (!this.#mayPay) this.exchangeNow();
      },
      get total() {
        return total();
      },
      spent: this.#spent.signal,
    };
  }

  /** Begins the exchanges; `admissionOf` gives the queue of a model. */
  begin(admissionOf: (resource: string) => Admission): void {
    for (const [id, shared] of this.#shared) shared.admission = admissionOf(id);
    this.#watch = new SuspensionWatch(this.#clock, () => this.#wake());
    this.#exchange();
  }

  /** Exchanges soon. */
  exchangeNow(): void {
    this.#askWithin(GATHER_MS);
  }

  /** Takes the answer to an exchange; undefined if there was none. */
  take(shares: MachineShares | undefined): void {
    this.#isAsking = false;
    if (!shares) return this.#askWithin(SHORT_MS * 2);
    // What was asked before a suspension counts no more.
    if (this.#suspension === 'unreported') return this.exchangeNow();
    this.#suspension = undefined;
    const time = this.#clock.now();
    this.#goodUntil = this.#askedAt + SHARES_GOOD_MS;
    this.#reportedCost = this.#askedCost;
    this.#total = Math.max(shares.spent, this.#total);
    this.#mayCost = shares.mayCost;
    const { least, perMachine, most } = EXCHANGE_EVERY_MS;
    this.#everyMs = Math.min(most, Math.max(least, perMachine * shares.machines));
    let isMore = false;
    for (const [id, { permits, rated, admission }] of this.#shared) {
      const share = shares.resources[id];
      if (!share || !admission) continue;
      const { machines } = shares;
      isMore = permits.take(share, { inFlight: admission.inFlight, time, machines }) || isMore;
      rated?.takeShares(share, time);
    }
    const { maxCost } = this.#options;
    if (maxCost !== null && this.#total >= Math.round(maxCost * MICRO)) this.#end();
    for (const { admission } of this.#shared.values()) admission?.changed();
    this.#planNext(isMore);
    if (this.#isUrgent) this.exchangeNow();
    this.#isUrgent = false;
  }

  /** Ends the exchanges; the others learn what the last answers have cost. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const spent = Math.round(this.#cost);
    if (this.#options.maxCost !== null && spent !== this.#reportedCost)
      this.#options.exchange({ resources: {}, spent });
    this.#watch?.[Symbol.dispose]();
    this.#cancelReturn?.();
    this.#next?.cancel();
  }

  /** After a suspension nothing is sent until the host knows which work is still this machine's. */
  #wake(): void {
    this.#suspension = 'unreported';
    this.#goodUntil = 0;
    this.exchangeNow();
  }

  get #mayPay(): boolean {
    return this.#options.maxCost === null || this.#cost < this.#mayCost;
  }

  #waitsForBudget({ waiting }: Admission): boolean {
    return waiting > 0 && !this.#mayPay;
  }

  #end(): void {
    const { maxCost } = this.#options;
    if (maxCost === null || this.#spent.signal.aborted) return;
    this.#spent.abort(new DataDesignerError('run/budget-spent', { maxCost, cost: this.#total / MICRO }));
  }

  /** Returns the permits that have not been in use for a while. */
  #returnUnused(): void {
    this.#cancelReturn = undefined;
    const time = this.#clock.now();
    let returns = false;
    for (const { permits, admission } of this.#shared.values()) {
      returns = (admission && permits.returnUnused(time, admission)) || returns;
    }
    if (returns) this.#askWithin(this.#askedAt + RETURN_MS - time);
  }

  /** Machines whose calls wait for larger shares ask sooner, as others return theirs. */
  #planNext(isMore: boolean): void {
    const time = this.#clock.now();
    const shared = [...this.#shared.values()];
    const waitsForBudget = shared.some(({ admission }) => admission && this.#waitsForBudget(admission));
    const isShort =
      waitsForBudget || shared.some(({ permits, admission }) => admission && permits.isShort(time, admission));
    const isFree = shared.some(({ permits, admission }) => admission && permits.isFree(admission));
    const mayGrow = shared.some(({ permits }) => permits.mayGrow);
    const growth = PAUSE_GROWS[waitsForBudget ? 'budget' : 'permits'];
    if (isShort && !isMore) this.#shortMs = Math.min(this.#everyMs, this.#shortMs * growth);
    else if (mayGrow || shared.every(({ permits }) => permits.isEnough)) this.#shortMs = SHORT_MS;
    this.#askWithin(isShort || (mayGrow && !isFree) ? this.#shortMs : this.#everyMs);
  }

  #askWithin(ms: number): void {
    const at = Math.max(this.#clock.now() + Math.max(0, ms), this.#askedAt + LEAST_MS);
    if (this.#isOver || (this.#next && this.#next.at <= at)) return;
    this.#next?.cancel();
    const cancel = this.#clock.after(Math.max(0, at - this.#clock.now()), () => {
      this.#next = undefined;
      this.#exchange();
    });
    this.#next = { at, cancel };
  }

  #exchange(): void {
    if (this.#isAsking) this.#isUrgent = true;
    if (this.#isAsking || this.#isOver) return;
    const time = this.#clock.now();
    const isGood = time < this.#goodUntil;
    const resources: Record<string, ResourceUse> = {};
    for (const [id, { permits, rated, admission }] of this.#shared) {
      if (!admission) continue;
      const { inFlight, waiting } = admission;
      const rates = rated?.sharesUsed({ time, sinceMs: time - this.#askedAt, isWaiting: waiting > 0, isGood });
      resources[id] = { ...permits.use({ inFlight, waiting, isGood }), ...rates };
    }
    this.#isAsking = true;
    this.#askedAt = time;
    this.#askedCost = Math.round(this.#cost);
    const wasSuspended = this.#suspension !== undefined;
    if (wasSuspended) this.#suspension = 'reported';
    this.#options.exchange({ resources, spent: this.#askedCost, ...(wasSuspended && { wasSuspended }) });
  }
}
