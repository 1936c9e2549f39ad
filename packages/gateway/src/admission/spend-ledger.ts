import { DataDesignerError } from '@data-designer/core';

/** Adds up what a run spends, and stops it at its bound. */
export interface SpendLedger {
  /** Adds a cost, in the currency of the prices; also after the bound is reached. */
  add(cost: number): void;
  /** Everything spent, earlier runs included. */
  readonly total: number;
  /** Aborted with `run/budget-spent` once the total has reached the bound. */
  readonly spent: AbortSignal;
}

/** A bound, and what earlier runs have spent of it, the answers in their journals included. */
export interface SpendBounds {
  readonly maxCost: number;
  readonly spentBefore: number;
}

/** The ledger of a run on one machine. */
export function localLedger({ maxCost, spentBefore }: SpendBounds): SpendLedger {
  const spent = new AbortController();
  let total = spentBefore;
  const check = (): void => {
    if (total < maxCost || spent.signal.aborted) return;
    spent.abort(new DataDesignerError('run/budget-spent', { maxCost, cost: total }));
  };
  check();
  return {
    add(cost) {
      total += cost;
      check();
    },
    get total() {
      return total;
    },
    spent: spent.signal,
  };
}
