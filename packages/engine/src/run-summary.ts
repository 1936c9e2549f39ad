import { addToolCounts, type ToolCounts } from '@data-designer/mcp';
import type { Plan } from '@data-designer/core';
import { addUsage, type ModelUsage, noUsage, type PricedUsage, pricedUsage } from '@data-designer/models';
import type { DatasetMetadata } from './store/dataset-metadata.ts';
import { LostRowCount, type LostRows, type RowGroupResult } from './row-group/row-group-result.ts';

/** What a run has made so far. */
export class RunSummary {
  rows = 0;
  groups = 0;
  #lost: LostRows[] = [];
  readonly #tools: Record<string, ToolCounts> = {};
  readonly #usage = new Map<string, ModelUsage>();

  /** Counts rows in that an earlier run has made. */
  addEarlier(rows: number): void {
    this.groups++;
    this.rows += rows;
  }

  add({ rows, lost, usage, tools }: RowGroupResult): void {
    this.groups++;
    this.rows += rows;
    this.#lost = LostRowCount.join([...this.#lost, ...lost]);
    addToolCounts(this.#tools, tools);
    for (const [alias, counts] of Object.entries(usage)) this.#addUsage(alias, counts);
  }

  /** Counts in what models were asked for the row groups of earlier runs. */
  addEarlierUsage(metadata: DatasetMetadata | undefined): void {
    for (const [alias, counts] of Object.entries(metadata?.usage ?? {})) this.#addUsage(alias, counts);
  }

  /** Why rows were lost, the most frequent first. */
  get lost(): readonly LostRows[] {
    return this.#lost;
  }

  /** Calls, errors and timeouts by tool. */
  get tools(): Readonly<Record<string, ToolCounts>> {
    return this.#tools;
  }

  /** What each model alias was asked and answered, and what that cost by the prices of a plan. */
  pricedUsage({ models }: Plan): Readonly<Record<string, PricedUsage>> {
    return pricedUsage(Object.fromEntries(this.#usage), models);
  }

  /** What all answers cost; null where some have no price. */
  costOf(plan: Plan): number | null {
    return Object.values(this.pricedUsage(plan)).reduce<number | null>(
      (sum, { cost }) => (sum === null || cost === null ? null : sum + cost),
      0,
    );
  }

  #addUsage(alias: string, counts: ModelUsage): void {
    const total = this.#usage.get(alias) ?? noUsage();
    addUsage(total, counts);
    this.#usage.set(alias, total);
  }
}
