import type { PlannedModel } from '@data-designer/core';
import { type Attempt, type ColumnUsage, costOf, type ModelCounts, type ModelUsage } from './usage.ts';

/** Counts with what they cost in the currency of the prices; null where that is not known. */
interface PricedCounts extends Readonly<ModelCounts> {
  /** The cost in the currency of the prices; null without a price. */
  readonly cost: number | null;
}

/** The usage of a model alias with its cost, in all, by column and by what requests were made for. */
export interface PricedUsage extends PricedCounts {
  /** The counts by column, and by the purpose of the requests. */
  readonly columns: Readonly<Record<string, Readonly<Partial<Record<Attempt, PricedCounts>>>>>;
}

/** Puts the cost to usage by alias, from the prices of the plan's models. */
export function pricedUsage(
  usage: Readonly<Record<string, ModelUsage>>,
  models: Readonly<Record<string, Pick<PlannedModel, 'pricing'>>>,
): Record<string, PricedUsage> {
  return mapRecord(usage, ({ columns, ...counts }, alias) => {
    const pricing = models[alias]?.pricing ?? null;
    const priced = <Counts extends ModelCounts>(one: Counts) => ({ ...one, cost: costOf(one, pricing) });
    return {
      ...priced(counts),
      columns: mapRecord(columns, (attempts: ColumnUsage) => mapRecord(attempts, priced)),
    };
  });
}

function mapRecord<In, Out>(
  record: Readonly<Record<string, In>>,
  change: (value: In, key: string) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
