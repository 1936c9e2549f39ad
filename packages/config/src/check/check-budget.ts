import type { PriceOf } from '../prices/load-prices.ts';
import type { Check } from './check.ts';

/** The budget of a run, and the prices of models whose configs give none. */
export interface SpendingBounds {
  readonly maxCost: number | null;
  readonly priceOf: PriceOf;
  /** Providers without prices. */
  readonly freeProviders?: ReadonlySet<string> | undefined;
}

/**
 * Checks that the models in use have prices: with a budget an error if none has, and a warning about those that have none.
 * Without a budget there may be no price at all.
 */
export function checkBudget(check: Check, { maxCost, priceOf, freeProviders }: SpendingBounds): void {
  const asked = check.facts.flatMap(({ requires }) => requires.models);
  if (asked.length === 0) return;
  const summarising = check.config.profilers.filter(({ summaryScoreSampleSize: size }) => size !== null);
  const models = [...new Set([...asked, ...summarising.map(({ modelAlias }) => modelAlias)])]
    .flatMap((alias) => check.config.modelConfigs.findLast((model) => model.alias === alias) ?? [])
    .filter(({ provider }) => !freeProviders?.has(provider));
  const unpriced = models.filter(({ pricing, provider, model }) => !(pricing ?? priceOf(provider, model)));
  if (unpriced.length === 0) return;
  const names = unpriced.map(({ alias }) => `'${alias}'`).join(', ');
  const indexOf = (one: (typeof models)[number] | undefined) => (one ? check.config.modelConfigs.lastIndexOf(one) : 0);
  const isBound = unpriced.length < models.length;
  if (maxCost === null) {
    if (isBound) check.found.push(partlyKnownCost(unpriced.length, names, `model_configs[${indexOf(unpriced[0])}]`));
    return;
  }
  check.found.push({
    stage: 'run',
    type: isBound ? 'unknown_price' : 'budget_without_prices',
    level: isBound ? 'WARNING' : 'ERROR',
    path: 'run_config.max_cost',
    message: isBound
      ? `no price is known for ${names}, so its answers do not count towards the budget.`
      : `the budget cannot be enforced: no model in use has a price (${names}).`,
    remedy: ADD_PRICE,
  });
}

const ADD_PRICE = "Add 'pricing' to the model config, or pass a file of prices with --prices.";

function partlyKnownCost(count: number, names: string, path: string): Check['found'][number] {
  return {
    stage: 'run',
    type: 'unknown_price',
    level: 'WARNING',
    path,
    message: `no price is known for ${names}, while other models have one, so the cost leaves out ${count === 1 ? 'its' : 'their'} answers.`,
    remedy: ADD_PRICE,
  };
}
