import { addToolCounts, type ToolCounts, type ToolStatistics, toolStatistics } from '@data-designer/mcp';
import type { Plan } from '@data-designer/core';
import { addUsage, type ModelUsage, noUsage, type PricedUsage, pricedUsage } from '@data-designer/models';
import type { DatasetMetadata } from './store/dataset-metadata.ts';
import { LostRowCount, type LostRows, type RowGroupResult } from './row-group/row-group-result.ts';

/** What a run has made so far. */
export class RunSummary {
  rows = 0;
  #lost: LostRows[] = [];
  /** Of the groups that are committed. */
  readonly #usage = new Map<string, ModelUsage>();
  /** Of groups that are left for a later run, which counts them again. */
  readonly #leftUsage = new Map<string, ModelUsage>();
  /** Calls of tools, of committed groups and of those that are left. */
  readonly #tools: Record<string, ToolCounts> = {};
  readonly #leftTools: Record<string, ToolCounts> = {};

  /** Counts rows in that an earlier run has made. */
  addEarlier(rows: number): void {
    this.rows += rows;
  }

  /** Counts a group in; one that is not committed is made again by a later run. */
  add({ rows, lost, usage, tools }: RowGroupResult, { committed = true } = {}): void {
    this.rows += rows;
    this.#lost = LostRowCount.join([...this.#lost, ...lost]);
    addToolCounts(committed ? this.#tools : this.#leftTools, tools);
    const total = committed ? this.#usage : this.#leftUsage;
    for (const [alias, counts] of Object.entries(usage)) addTo(total, alias, counts);
  }

  /** Counts in what models and tools were asked for the row groups of earlier runs. */
  addEarlierUsage(metadata: DatasetMetadata | undefined): void {
    addToolCounts(this.#tools, metadata?.tools ?? {});
    for (const [alias, counts] of Object.entries(metadata?.usage ?? {})) addTo(this.#usage, alias, counts);
  }

  /** Why rows were lost, the most frequent first. */
  get lost(): readonly LostRows[] {
    return this.#lost;
  }

  /** Calls, errors, timeouts, bytes and times by tool, as providers call them. */
  get tools(): Readonly<Record<string, ToolStatistics>> {
    const all: Record<string, ToolCounts> = {};
    addToolCounts(all, this.#tools);
    addToolCounts(all, this.#leftTools);
    return toolStatistics(all);
  }

  /** The same of the row groups that are committed, with the counts that a later run adds to. */
  get committedTools(): Readonly<Record<string, ToolStatistics & ToolCounts>> {
    const told = toolStatistics(this.#tools);
    return Object.fromEntries(
      Object.entries(this.#tools).map(([tool, counts]) => [tool, { ...counts, ...(told[tool] as ToolStatistics) }]),
    );
  }

  /** What each model alias was asked and answered, and what that cost by the prices of a plan. */
  pricedUsage({ models }: Plan): Readonly<Record<string, PricedUsage>> {
    const all = new Map<string, ModelUsage>();
    for (const [alias, counts] of [...this.#usage, ...this.#leftUsage]) addTo(all, alias, counts);
    return pricedUsage(Object.fromEntries(all), models);
  }

  /** The same of the row groups that are committed: what a later run adds to. */
  committedUsage({ models }: Plan): Readonly<Record<string, PricedUsage>> {
    return pricedUsage(Object.fromEntries(this.#usage), models);
  }

  /** What all answers cost; null where some have no price. */
  costOf(plan: Plan): number | null {
    return costOfAll(this.pricedUsage(plan));
  }

  /** What the answers of committed row groups cost as far as they have a price. */
  knownCost(plan: Plan): number {
    return Object.values(this.committedUsage(plan)).reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  }
}

/** The sum of the costs of all aliases; null where one is not known. */
export function costOfAll(usage: Readonly<Record<string, PricedUsage>>): number | null {
  const costs = Object.values(usage).map(({ cost }) => cost);
  return costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}

function addTo(all: Map<string, ModelUsage>, alias: string, counts: ModelUsage): void {
  const total = all.get(alias) ?? noUsage();
  addUsage(total, counts);
  all.set(alias, total);
}
