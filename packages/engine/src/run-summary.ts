import { addToolCounts, type ToolCounts, type ToolStatistics, toolStatistics } from '@data-designer/mcp';
import { type LostRows, modelsOf, type Plan } from '@data-designer/core';
import { addUsage, type ModelUsage, noUsage, type PricedUsage, pricedUsage } from '@data-designer/models';
import type { LoggedCounts } from '@data-designer/dataset';
import { type AnswerFlaws, answerFlaws } from './progress/answer-flaws.ts';
import { LostRowCount, type RowGroupResult } from './row-group/row-group-result.ts';

/** What a run has made so far, with what earlier runs on the dataset have. */
export class RunSummary {
  #rows = 0;
  /** Answers that were paid for and bought again, as what was asked had changed. */
  rebought = 0;
  #lost: LostRows[] = [];
  #failedCells: LostRows[] = [];
  readonly #counted: Counts = { usage: new Map(), tools: {} };
  /** What earlier runs left of groups that this one has not come to yet. */
  readonly #left = new Map<number, LeftGroup>();

  /** The same counts, to be counted on apart from these; without what earlier runs left of groups that come yet. */
  copy(): RunSummary {
    const copy = new RunSummary();
    copy.#rows = this.#rows;
    copy.#lost = this.#lost;
    copy.#failedCells = this.#failedCells;
    copy.addUsage({ usage: Object.fromEntries(this.#counted.usage), tools: this.#counted.tools });
    return copy;
  }

  /** Counts rows in that an earlier run has made. */
  addEarlier(rows: number): void {
    this.#rows += rows;
  }

  /** So many rows are there now, as those that were made have been processed as a whole. */
  settleRows(rows: number): void {
    this.#rows = rows;
  }

  /** Counts in what an earlier run has left of a group, until that is added. */
  addLeft(group: number, left: LeftGroup): void {
    this.#left.set(group, left);
  }

  /**
   * Counts a group in, also one that is left for a later run to make: without a file of its own that of an earlier run
   * stays, and what that run had taken where this one cannot say. Gives the rows of the group that there are.
   */
  add(
    { group, rows, lost, failures = [], ...counts }: AddedGroup,
    { hasFile = true }: { readonly hasFile?: boolean } = {},
  ): number {
    const left = hasFile ? undefined : this.#left.get(group);
    this.#left.delete(group);
    const standing = left?.rows ?? (hasFile ? rows : 0);
    this.#rows += standing;
    this.#lost = LostRowCount.join([...this.#lost, ...without(lost, left?.rows ?? 0)]);
    const failed = failures.filter(({ onFailure }) => onFailure === 'null').map((one) => ({ ...one, rows: 1 }));
    this.#failedCells = LostRowCount.join([...this.#failedCells, ...failed]);
    this.addUsage(left && Object.keys(counts.usage).length === 0 ? left : counts);
    return standing;
  }

  /** Counts in what models and tools were asked beside the groups of this run. */
  addUsage(counts: LoggedCounts): void {
    this.rebought += counts.rebought ?? 0;
    addCounts(this.#counted, counts);
  }

  /** Rows that there are. */
  get rows(): number {
    return [...this.#left.values()].reduce((sum, { rows }) => sum + rows, this.#rows);
  }

  /** Rows that there are, those apart of groups that this run has not come to yet. */
  get finishedRows(): number {
    return this.#rows;
  }

  /** Why rows were lost, the most frequent first. */
  get lost(): readonly LostRows[] {
    return this.#lost;
  }

  /** Answers that were taken though something is wrong with them, by column. */
  get flaws(): readonly AnswerFlaws[] {
    return answerFlaws(Object.fromEntries(this.#all().usage));
  }

  /** Why cells could not be made of rows that went on without them, the most frequent first. */
  get failedCells(): readonly FailedCells[] {
    return this.#failedCells.map(({ rows: cells, ...why }) => ({ ...why, cells }));
  }

  /** Calls, errors, timeouts, bytes and times by tool, as providers call them. */
  get tools(): Readonly<Record<string, ToolStatistics>> {
    return toolStatistics(this.#all().tools);
  }

  /** What each model alias was asked and answered, and what that cost by the prices of a plan. */
  pricedUsage(plan: Plan): Readonly<Record<string, PricedUsage>> {
    return pricedUsage(Object.fromEntries(this.#all().usage), modelsOf(plan));
  }

  /** What all answers cost; null where some have no price. */
  costOf(plan: Plan): number | null {
    return costOfAll(this.pricedUsage(plan));
  }

  /** What the answers cost as far as they have a price, those apart that stand in the journals of groups that are left. */
  knownCost(plan: Plan): number {
    return knownCostOf(pricedUsage(Object.fromEntries(this.#counted.usage), modelsOf(plan)));
  }

  #all(): Counts {
    if (this.#left.size === 0) return this.#counted;
    const { usage, tools } = this.#counted;
    const all: Counts = { usage: new Map(), tools: {} };
    for (const counts of [{ usage: Object.fromEntries(usage), tools }, ...this.#left.values()]) addCounts(all, counts);
    return all;
  }
}

/** A group as it is counted in. */
type AddedGroup = Pick<RowGroupResult, 'group' | 'rows' | 'lost'> &
  Partial<Pick<RowGroupResult, 'failures'>> &
  LoggedCounts;

/** Cells that could not be made, whose rows stand without them. */
export interface FailedCells extends Omit<LostRows, 'rows'> {
  readonly cells: number;
}

/** Lost rows without so many of them: those stand in the file of an earlier run. */
function without(lost: readonly LostRows[], standing: number): readonly LostRows[] {
  let left = standing;
  return lost.flatMap((one) => {
    const taken = Math.min(left, one.rows);
    left -= taken;
    return taken === one.rows ? [] : { ...one, rows: one.rows - taken };
  });
}

/** What an earlier run has left of a group: the rows of its file, and what it took. */
interface LeftGroup extends LoggedCounts {
  readonly rows: number;
}

interface Counts {
  readonly usage: Map<string, ModelUsage>;
  readonly tools: Record<string, ToolCounts>;
}

function addCounts(all: Counts, { usage, tools = {} }: LoggedCounts): void {
  addToolCounts(all.tools, tools);
  for (const [alias, counts] of Object.entries(usage)) {
    const total = all.usage.get(alias) ?? noUsage();
    addUsage(total, counts);
    all.usage.set(alias, total);
  }
}

/** The sum of the costs of all aliases; null where one is not known. */
export function costOfAll(usage: Readonly<Record<string, PricedUsage>>): number | null {
  const costs = Object.values(usage).map(({ cost }) => cost);
  return costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}

/** What answers cost as far as they have a price. */
export function knownCostOf(usage: Readonly<Record<string, PricedUsage>>): number {
  return Object.values(usage).reduce((sum, { cost }) => sum + (cost ?? 0), 0);
}
