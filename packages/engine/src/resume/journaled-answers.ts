import type { FailedCell, Plan, RowGroup } from '@data-designer/core';
import { addressKey, Budget, budgetOf } from '@data-designer/gateway';
import { journaledGroups, type JournalRecord, folderJournal } from '@data-designer/dataset/journal';
import type { DatasetPaths } from '@data-designer/dataset';
import type { ResumedGroup } from '../row-group/group-context.ts';

/** The journaled answers of row groups that are still to be made. */
export interface JournaledAnswers {
  /** The cost of all answers with a price, also of those to changed requests; 0 for a plan without a budget. */
  readonly cost: number;
  /** The groups, with their journaled calls and failed cells. */
  readonly groups: readonly ResumedGroup[];
}

/** Reads the journals of row groups before a resumed run opens them. */
export async function readJournaledAnswers(
  plan: Plan,
  groups: readonly RowGroup[],
  { journal, journals }: Pick<DatasetPaths, 'journal' | 'journals'>,
): Promise<JournaledAnswers> {
  const bounds = budgetOf(plan);
  const budget = bounds && new Budget(bounds);
  const unfailing = unfailingColumns(plan);
  const journaled = await journaledGroups(journals);
  const resumed: ResumedGroup[] = [];
  for (const group of groups) {
    if (!journaled.has(group.index)) {
      resumed.push(group);
      continue;
    }
    const content = await folderJournal(journal(group.index)).read();
    if (budget) spendJournaled(budget, content.entries);
    resumed.push(withJournaled(group, content, unfailing));
  }
  return { cost: budget?.cost ?? 0, groups: resumed };
}

/** A row group that another machine may have begun, with its journaled calls and failed cells. */
export async function resumedGroup(
  plan: Plan,
  group: RowGroup,
  { journal }: Pick<DatasetPaths, 'journal'>,
): Promise<ResumedGroup> {
  return withJournaled(group, await folderJournal(journal(group.index)).read(), unfailingColumns(plan));
}

function withJournaled(
  group: RowGroup,
  { entries, failedCells }: { readonly entries: readonly JournalRecord[]; readonly failedCells: readonly FailedCell[] },
  unfailing: ReadonlySet<string>,
): ResumedGroup {
  const journaledCalls = entries.filter(({ column }) => unfailing.has(column)).map(addressKey);
  return {
    ...group,
    ...(journaledCalls.length > 0 ? { journaledCalls } : {}),
    ...(failedCells.length > 0 ? { failedCells } : {}),
  };
}

/** The columns whose cells must not fail. */
function unfailingColumns({ columns }: Plan): ReadonlySet<string> {
  return new Set(columns.filter(({ config }) => config.onFailure === 'abort').map(({ name }) => name));
}

/** Spends the cost of journaled answers from a budget, including the tokens of successes without a usable answer. */
export function spendJournaled(budget: Budget, entries: readonly JournalRecord[]): void {
  for (const entry of entries) {
    budget.take(entry.resource, entry.path, entry);
    budget.takeTokens(entry.resource, entry.tries?.spent);
  }
}
