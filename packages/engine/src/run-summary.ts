import { addToolCounts, type ToolCounts } from '@data-designer/mcp';
import { addUsage, type ModelUsage, noUsage } from '@data-designer/models';
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

  /** Calls, errors and timeouts by tool. */
  get tools(): Readonly<Record<string, ToolCounts>> {
    return this.#tools;
  }

  /** What each model alias was asked and answered. */
  get usage(): Readonly<Record<string, ModelUsage>> {
    return Object.fromEntries(this.#usage);
  }
}
