import { addToolCounts, type ToolCounts, type ToolStatistics, toolStatistics } from '@data-designer/mcp';
import type { Plan } from '@data-designer/core';
import { addUsage, type ModelUsage, noUsage, type PricedUsage, pricedUsage } from '@data-designer/models';
import type { LostRows } from './row-group/group-count.ts';
import { LostRowCount, type RowGroupResult } from './row-group/row-group-result.ts';
import type { LoggedCounts } from './store/usage-log.ts';

/** What a run has made so far, with what earlier runs on the dataset have. */
export class RunSummary {
  rows = 0;
  /** Answers that were paid for and bought again, as what was asked had changed. */
  rebought = 0;
  #lost: LostRows[] = [];
  readonly #tools: Record<string, ToolCounts> = {};
  readonly #usage = new Map<string, ModelUsage>();

  /** The same counts, to be counted on apart from these. */
  copy(): RunSummary {
    const copy = new RunSummary();
    copy.add({ rows: this.rows, lost: this.#lost, usage: Object.fromEntries(this.#usage), tools: this.#tools });
    return copy;
  }

  /** Counts rows in that an earlier run has made. */
  addEarlier(rows: number): void {
    this.rows += rows;
  }

  /** Counts a group in, also one that is left for a later run to make. */
  add({ rows, lost, ...counts }: Pick<RowGroupResult, 'rows' | 'lost'> & LoggedCounts): void {
    this.rows += rows;
    this.#lost = LostRowCount.join([...this.#lost, ...lost]);
    this.addUsage(counts);
  }

  /** Counts in what models and tools were asked beside the groups of this run. */
  addUsage({ usage, tools = {}, rebought = 0 }: LoggedCounts): void {
    this.rebought += rebought;
    addToolCounts(this.#tools, tools);
    for (const [alias, counts] of Object.entries(usage)) {
      const total = this.#usage.get(alias) ?? noUsage();
      addUsage(total, counts);
      this.#usage.set(alias, total);
    }
  }

  /** Why rows were lost, the most frequent first. */
  get lost(): readonly LostRows[] {
    return this.#lost;
  }

  /** Calls, errors, timeouts, bytes and times by tool, as providers call them. */
  get tools(): Readonly<Record<string, ToolStatistics>> {
    return toolStatistics(this.#tools);
  }

  /** What each model alias was asked and answered, and what that cost by the prices of a plan. */
  pricedUsage({ models }: Plan): Readonly<Record<string, PricedUsage>> {
    return pricedUsage(Object.fromEntries(this.#usage), models);
  }

  /** What all answers cost; null where some have no price. */
  costOf(plan: Plan): number | null {
    return costOfAll(this.pricedUsage(plan));
  }

  /** What the answers cost as far as they have a price. */
  knownCost(plan: Plan): number {
    return Object.values(this.pricedUsage(plan)).reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  }
}

/** The sum of the costs of all aliases; null where one is not known. */
export function costOfAll(usage: Readonly<Record<string, PricedUsage>>): number | null {
  const costs = Object.values(usage).map(({ cost }) => cost);
  return costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}
