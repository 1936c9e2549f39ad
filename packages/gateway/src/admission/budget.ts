import {
  type CallOutcome,
  type CallPath,
  costOfTokens,
  DataDesignerError,
  type PaidTokens,
  type Plan,
  type Pricing,
} from '@data-designer/core';
import { costOfAnswer, tokensOfAnswer } from './answer-cost.ts';

/** What a run may spend, and what things cost; plain data. */
export interface BudgetOptions {
  readonly maxCost: number;
  /** Prices by resource; answers of others cost nothing that is known. */
  readonly prices: Readonly<Record<string, Pricing>>;
  /** What earlier runs have spent, the answers in their journals included. */
  readonly spentBefore: number;
}

/** The budget of a plan; undefined where it has none. Aliases of one model have one price: the highest counts. */
export function budgetOf({ maxCost, models }: Plan, spentBefore = 0): BudgetOptions | undefined {
  return maxCost === null ? undefined : { maxCost, prices: pricesOf({ models }), spentBefore };
}

/** Prices by resource; of several aliases of one model the dearest counts. */
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

/** Adds up what answers cost, and says when that is as much as may be spent. */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #spent = new AbortController();
  #cost: number;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#cost = options.spentBefore;
    this.#check();
  }

  /** Aborted with `run/budget-spent` once it is. */
  get spent(): AbortSignal {
    return this.#spent.signal;
  }

  get cost(): number {
    return this.#cost;
  }

  /** Counts an answer in, of one that cannot be used its tokens alone; refusals cost nothing. */
  take(resource: string, path: CallPath, { status, body, verdict }: Paid): void {
    const pricing = this.#options.prices[resource];
    if (!pricing || status >= 300) return;
    if (verdict === undefined) this.#cost += costOfAnswer(body, path, pricing);
    else this.takeTokens(resource, tokensOfAnswer(body, path));
    this.#check();
  }

  /** Counts tokens in. */
  takeTokens(resource: string, tokens: PaidTokens | undefined): void {
    const pricing = this.#options.prices[resource];
    if (pricing && tokens) this.#cost += costOfTokens(tokens, pricing);
    this.#check();
  }

  #check(): void {
    const { maxCost } = this.#options;
    if (this.#cost < maxCost || this.#spent.signal.aborted) return;
    this.#spent.abort(new DataDesignerError('run/budget-spent', { maxCost, cost: this.#cost }));
  }
}
