import {
  type CallOutcome,
  type CallPath,
  costOfTokens,
  type PaidTokens,
  type Plan,
  type Pricing,
} from '@data-designer/core';
import { costOfAnswer, isUseless, tokensPaidFor } from './answer-cost.ts';
import { localLedger, type SpendBounds, type SpendLedger } from './spend-ledger.ts';

/** What a run may spend, and the prices; plain data. */
export interface BudgetOptions extends SpendBounds {
  /** Prices by resource; answers of other resources count nothing. */
  readonly prices: Readonly<Record<string, Pricing>>;
}

/** The budget of a plan; undefined where it has none.  */
export function budgetOf({ maxCost, models }: Plan, spentBefore = 0): BudgetOptions | undefined {
  return maxCost === null ? undefined : { maxCost, prices: pricesOf({ models }), spentBefore };
}

/** Prices by resource; the highest if aliases of one model differ. */
export function pricesOf({ models }: Pick<Plan, 'models'>): Readonly<Record<string, Pricing>> {
  const prices: Record<string, Pricing> = {};
  for (const { resource, pricing } of Object.values(models)) {
    if (!pricing) continue;
    const known = prices[resource];
    if (!known || pricing.input + pricing.output > known.input + known.output) prices[resource] = pricing;
  }
  return prices;
}

type Paid = Pick<CallOutcome, 'status' | 'body' | 'verdict'>;

/** Enters what answers cost in a ledger. */
export class Budget {
  readonly #prices: BudgetOptions['prices'];
  readonly #ledger: SpendLedger;

  constructor({ prices, ...bounds }: BudgetOptions, ledger = localLedger(bounds)) {
    this.#prices = prices;
    this.#ledger = ledger;
  }

  /** Aborted with `run/budget-spent` once the budget is spent. */
  get spent(): AbortSignal {
    return this.#ledger.spent;
  }

  /** The cost of all answers, those of earlier runs included. */
  get cost(): number {
    return this.#ledger.total;
  }

  /** Counts an answer; one that cannot be used, or a refusal, counts its tokens alone. */
  take(resource: string, path: CallPath, outcome: Paid): void {
    const pricing = this.#prices[resource];
    if (!pricing) return;
    if (isUseless(outcome)) this.takeTokens(resource, tokensPaidFor(outcome));
    else this.#ledger.add(costOfAnswer(outcome.body, path, pricing));
  }

  /** Counts tokens. */
  takeTokens(resource: string, tokens: PaidTokens | undefined): void {
    const pricing = this.#prices[resource];
    if (pricing && tokens) this.#ledger.add(costOfTokens(tokens, pricing));
  }
}
