import { formatCost } from './format-numbers.ts';

/** The usage of models by alias, as far as it decides what is known of the cost. */
export type UsedModels = Readonly<Record<string, { readonly requests: number; readonly cost: number | null }>>;

/** The part of a cost that is known, and whose part is unknown. */
export interface PartlyKnownCost {
  /** The cost of the answers of all models with a price; null if no model in use has one. */
  readonly known: number | null;
  /** The aliases of the models in use without a price. */
  readonly unpriced: readonly string[];
}

/** Adds up the cost of the models in use, and names those without a price. */
export function addCosts(usage: UsedModels): PartlyKnownCost {
  const used = Object.entries(usage).filter(([, { requests, cost }]) => requests > 0 || (cost ?? 0) > 0);
  const costs = used.flatMap(([, { cost }]) => cost ?? []);
  return {
    known: used.length > 0 && costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    unpriced: used.flatMap(([alias, { cost }]) => (cost === null ? [alias] : [])),
  };
}

/** A cost with the part that is unknown: `0.12 + unknown ('judge' has no price)`; undefined if no part is known. */
export function describeCost(
  { known, unpriced }: PartlyKnownCost,
  beside: readonly (number | null)[] = [],
): string | undefined {
  if (known === null) return undefined;
  const amount = formatCost(known, beside);
  if (unpriced.length === 0) return amount;
  const names = unpriced.map((name) => `'${name}'`).join(', ');
  return `${amount} + unknown (${names} ${unpriced.length === 1 ? 'has' : 'have'} no price)`;
}

/** A cost in a cell of a table, whose part without a price is unknown. */
export function costCell({ known, unpriced }: PartlyKnownCost): string {
  if (known === null) return 'unknown';
  return unpriced.length === 0 ? formatCost(known) : `${formatCost(known)} + unknown`;
}
