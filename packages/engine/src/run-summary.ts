import { type FailedCalls, type ToolStatistics, toolStatistics } from '@data-designer/mcp';
import { type AttemptsByBlock, type LostRows, modelsOf, type Plan, LostRowCount } from '@data-designer/core';
import { type PricedUsage, pricedUsage } from '@data-designer/models';
import { countFailedCells, type LoggedCounts, type PartialGroup } from '@data-designer/dataset';
import { addCounts, type TotalCounts } from './counts.ts';
import { type AnswerFlaws, answerFlaws, answersByColumn } from './progress/answer-flaws.ts';
import type { RowGroupResult } from './row-group/row-group-result.ts';
import type { DroppedTool } from './connect/dropped-tools.ts';

/** The totals of a dataset: this run's and those of earlier runs. */
export class RunSummary {
  #rows = 0;
  #removed = 0;
  /** Paid answers that were requested again because their request had changed. */
  reRequested = 0;
  #lost: LostRows[] = [];
  #failedCells: LostRows[] = [];
  #droppedTools: readonly DroppedTool[] = [];
  readonly #counted: TotalCounts = { usage: new Map(), tools: {} };
  /** Unfinished groups of earlier runs that this run has not made yet. */
  readonly #left = new Map<number, LeftGroup>();

  /** The totals that another machine wrote. */
  static from({
    rows,
    reRequested,
    lost,
    failedCells,
    droppedTools,
    usage,
    tools,
    attempts,
    left,
  }: SummaryState): RunSummary {
    const summary = new RunSummary();
    summary.#rows = rows;
    summary.reRequested = reRequested;
    summary.#lost = [...lost];
    summary.#failedCells = [...failedCells];
    summary.#droppedTools = droppedTools;
    addCounts(summary.#counted, { usage, tools, attempts });
    for (const [group, counts] of left) summary.#left.set(group, counts);
    return summary;
  }

  /** The totals as plain data. */
  get state(): SummaryState {
    const { usage, tools, attempts = {} } = this.#counted;
    return {
      rows: this.#rows,
      reRequested: this.reRequested,
      lost: this.#lost,
      failedCells: this.#failedCells,
      droppedTools: this.#droppedTools,
      usage: Object.fromEntries(usage),
      tools,
      attempts,
      left: [...this.#left],
    };
  }

  /** A copy to count on separately, without the unfinished groups of earlier runs. */
  copy(): RunSummary {
    const copy = new RunSummary();
    copy.#rows = this.#rows;
    copy.#lost = this.#lost;
    copy.#failedCells = this.#failedCells;
    copy.#droppedTools = this.#droppedTools;
    const { usage, ...others } = this.#counted;
    copy.addUsage({ usage: Object.fromEntries(usage), ...others });
    return copy;
  }

  /** Adds rows that an earlier run made. */
  addEarlier(rows: number): void {
    this.#rows += rows;
  }

  /** Sets the rows that remain after the dataset was processed as a whole. */
  settleRows(rows: number): void {
    this.#removed = Math.max(0, this.#rows - rows);
    this.#rows = rows;
  }

  /** Adds an unfinished group of an earlier run, until `add` replaces it. */
  addLeft(group: number, left: LeftGroup): void {
    this.#left.set(group, left);
  }

  /**
   * Adds a group. Without a file of its own (`hasFile: false`) the rows and, if this run counted none, the usage of an
   * earlier run stay. Returns the rows of the group that exist.
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
    this.#addFailed(countFailedCells(failures));
    const used = left && Object.keys(counts.usage).length === 0 ? left : counts;
    this.addUsage({ ...used, lost: [] });
    return standing;
  }

  /** Adds the failed cells whose rows continued. */
  #addFailed(failed: readonly LostRows[] = []): void {
    if (failed.length > 0) this.#failedCells = LostRowCount.join([...this.#failedCells, ...failed]);
  }

  /** Adds the tools that requests leave out. */
  addDroppedTools(tools: readonly DroppedTool[]): void {
    const all = [...this.#droppedTools, ...tools];
    this.#droppedTools = [...new Map(all.map((one) => [JSON.stringify([one.provider, one.tool]), one])).values()];
  }

  /** Sets why rows are missing, the candidates that a selection refused included. */
  settleLost(lost: readonly LostRows[]): void {
    this.#lost = LostRowCount.join(lost);
  }

  /** Adds usage that belongs to no group of this run. */
  addUsage(counts: LoggedCounts): void {
    this.reRequested += counts.reRequested ?? 0;
    if (counts.lost && counts.lost.length > 0) this.#lost = LostRowCount.join([...this.#lost, ...counts.lost]);
    this.#addFailed(counts.failed);
    addCounts(this.#counted, counts);
  }

  /** All rows of the dataset. */
  get rows(): number {
    return [...this.#left.values()].reduce((sum, { rows }) => sum + rows, this.#rows);
  }

  /** The rows that processors of the whole dataset removed in this run. */
  get removedRows(): number {
    return this.#removed;
  }

  /** All rows except those of unfinished groups that this run has not made yet. */
  get finishedRows(): number {
    return this.#rows;
  }

  /** Why rows were lost, the most frequent first. */
  get lost(): readonly LostRows[] {
    const left = [...this.#left.values()].flatMap(({ lost = [] }) => lost);
    return left.length > 0 ? LostRowCount.join([...this.#lost, ...left]) : this.#lost;
  }

  /** Accepted answers with a flaw, by column. */
  get flaws(): readonly AnswerFlaws[] {
    return answerFlaws(Object.fromEntries(this.#all().usage));
  }

  /** Why tool calls failed, the most frequent reason first. */
  get toolFailures(): readonly ToolFailure[] {
    const { tools } = this.#all();
    const all = Object.entries(toolStatistics(tools)).flatMap(([tool, { provider, failures }]) =>
      failures.map((one): ToolFailure => ({ provider, tool, ...one })),
    );
    return all.toSorted((one, other) => other.calls - one.calls);
  }

  /** What the run did not make as it was asked to. */
  get findings(): RunFindings {
    const { lost, failedCells, flaws, toolFailures } = this;
    const recovered = answersByColumn(Object.fromEntries(this.#all().usage), 'recoveredToolAnswers');
    const toolRecoveries = [...recovered].map(([column, answers]) => ({ column, answers }));
    return { lost, failedCells, flaws, toolFailures, toolRecoveries, droppedTools: this.#droppedTools };
  }

  /** Why cells failed in rows that continued without them, the most frequent first. */
  get failedCells(): readonly FailedCells[] {
    return this.#failedCells.map(({ rows: cells, ...why }) => ({ ...why, cells }));
  }

  /** Calls, errors, timeouts, bytes and times by tool, under the providers' names. */
  get tools(): Readonly<Record<string, ToolStatistics>> {
    return toolStatistics(this.#all().tools);
  }

  /** The counts of the attempts at rows, by block. */
  get attempts(): AttemptsByBlock {
    return this.#all().attempts ?? {};
  }

  /** The usage of each model alias with its cost at the plan's prices. */
  pricedUsage(plan: Pick<Plan, 'models' | 'profilers'>): Readonly<Record<string, PricedUsage>> {
    return pricedUsage(Object.fromEntries(this.#all().usage), modelsOf(plan));
  }

  /** The cost of all answers; null where one has no price. */
  costOf(plan: Plan): number | null {
    return costOfAll(this.pricedUsage(plan));
  }

  /** The cost of answers with a price, without those in the journals of unfinished groups. */
  knownCost(plan: Plan): number {
    const kept = [...this.#left.values()].flatMap(({ again, usage }) => (again ? [again.spent?.usage ?? usage] : []));
    const usages = [Object.fromEntries(this.#counted.usage), ...kept];
    return usages.reduce((sum, usage) => sum + knownCostOf(pricedUsage(usage, modelsOf(plan))), 0);
  }

  #all(): TotalCounts {
    if (this.#left.size === 0) return this.#counted;
    const { usage, ...others } = this.#counted;
    const all: TotalCounts = { usage: new Map(), tools: {} };
    for (const counts of [{ usage: Object.fromEntries(usage), ...others }, ...this.#left.values()]) {
      addCounts(all, counts);
    }
    return all;
  }
}

/** The parts of a result that are counted. */
type AddedGroup = Pick<RowGroupResult, 'group' | 'rows' | 'lost'> &
  Partial<Pick<RowGroupResult, 'failures'>> &
  LoggedCounts;

/** Failed calls of a tool for one reason. */
export interface ToolFailure extends FailedCalls {
  /** Null for tools that do not exist. */
  readonly provider: string | null;
  readonly tool: string;
}

/** What a run did not make as it was asked to: every presenter shows all of it. */
export interface RunFindings {
  /** Why rows were lost, the most frequent first. */
  readonly lost: readonly LostRows[];
  /** Why cells are null in rows that continued without them. */
  readonly failedCells: readonly FailedCells[];
  /** Used answers with a flaw, by column. */
  readonly flaws: readonly AnswerFlaws[];
  /** Failed tool calls by provider, tool and reason. */
  readonly toolFailures: readonly ToolFailure[];
  /** Answers for which the failed tools succeeded in a later turn, by column. */
  readonly toolRecoveries: readonly { readonly column: string; readonly answers: number }[];
  /** The tools that no model was offered, because no model API accepts them. */
  readonly droppedTools: readonly DroppedTool[];
}

/** Failed cells whose rows continued without them. */
export interface FailedCells extends Omit<LostRows, 'rows'> {
  readonly cells: number;
}

/** Lost rows, minus the rows that stand in the file of an earlier run. */
function without(lost: readonly LostRows[], standing: number): readonly LostRows[] {
  let left = standing;
  return lost.flatMap((one) => {
    const taken = Math.min(left, one.rows);
    left -= taken;
    return taken === one.rows ? [] : { ...one, rows: one.rows - taken };
  });
}

/** An unfinished group of an earlier run: the rows of its file, and its usage. */
interface LeftGroup extends LoggedCounts, Pick<PartialGroup, 'again'> {
  readonly rows: number;
}

/** The totals of a dataset as plain data. */
export interface SummaryState extends Required<Omit<LoggedCounts, 'failed'>> {
  readonly rows: number;
  readonly lost: readonly LostRows[];
  readonly failedCells: readonly LostRows[];
  readonly droppedTools: readonly DroppedTool[];
  readonly left: readonly (readonly [group: number, LeftGroup])[];
}

/** The sum of the costs of all aliases; null where one is unknown. */
export function costOfAll(usage: Readonly<Record<string, PricedUsage>>): number | null {
  const costs = Object.values(usage).map(({ cost }) => cost);
  return costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}

/** The cost of the answers with a price. */
export function knownCostOf(usage: Readonly<Record<string, PricedUsage>>): number {
  return Object.values(usage).reduce((sum, { cost }) => sum + (cost ?? 0), 0);
}
