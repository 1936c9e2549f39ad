import { refusedCall } from './refused-call.ts';

/** The part of a budget that is reserved for one run. */
export interface Reservation {
  /** The maximum cost of the run; null if unlimited. */
  readonly amount: number | null;
  /** Returns the unspent part; an unknown cost (null) counts as all of it. */
  readonly settle: (cost: number | null) => void;
}

/** The budget of all runs of a server together; each run reserves its part before it starts. */
export class SpendingLimit {
  /** Null if unlimited. */
  #left: number | null;

  constructor(maxCost: number | undefined) {
    this.#left = maxCost ?? null;
  }

  get isBounded(): boolean {
    return this.#left !== null;
  }

  /** Reserves the requested amount, at most the rest; throws `serve/refused` if nothing is left. */
  reserve(wanted: number | undefined): Reservation {
    if (this.#left === null) return { amount: wanted ?? null, settle: () => {} };
    if (this.#left <= 0) {
      throw refusedCall(
        'The budget of this server is spent or reserved by active runs. Give each run a max_cost, so that it reserves less.',
      );
    }
    const amount = Math.min(wanted ?? this.#left, this.#left);
    this.#left -= amount;
    let isSettled = false;
    const settle = (cost: number | null): void => {
      if (isSettled) return;
      isSettled = true;
      this.#left = (this.#left ?? 0) + amount - (cost ?? amount);
    };
    return { amount, settle };
  }
}
