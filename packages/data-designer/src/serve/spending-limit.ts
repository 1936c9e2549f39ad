import { refusedCall } from './refused-call.ts';

/** A part of what may be spent, set aside for one run. */
export interface Reservation {
  /** What the run may spend; null where there is no bound. */
  readonly amount: number | null;
  /** Gives back what was not spent; `cost` is null where it is not known, and then all of it counts as spent. */
  readonly settle: (cost: number | null) => void;
}

/** What all runs of a server may spend together: each sets its part aside before it begins. */
export class SpendingLimit {
  /** Null where there is no bound. */
  #left: number | null;

  constructor(maxCost: number | undefined) {
    this.#left = maxCost ?? null;
  }

  get isBounded(): boolean {
    return this.#left !== null;
  }

  /** Sets aside what a run asks for, or all that is left; throws `serve/refused` where nothing is. */
  reserve(wanted: number | undefined): Reservation {
    if (this.#left === null) return { amount: wanted ?? null, settle: () => {} };
    if (this.#left <= 0) {
      throw refusedCall(
        'Nothing is left of what this server may spend, or runs under way have set it aside: give them a max_cost of their own.',
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
