import type { FailedCell, Plan, RowGroup } from '@data-designer/core';
import { addressKey, Budget, budgetOf } from '@data-designer/gateway';
import { journaledGroups, type JournalRecord, folderJournal } from '@data-designer/dataset/journal';
import {
  type DatasetPaths,
  keptFiles,
  type PartialGroup,
  type PartialGroups,
  readPartialGroup,
  sideTables,
} from '@data-designer/dataset';
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
  { paths, partial }: { readonly paths: DatasetPaths; readonly partial: PartialGroups },
): Promise<JournaledAnswers> {
  const bounds = budgetOf(plan);
  const budget = bounds && new Budget(bounds);
  const unfailing = unfailingColumns(plan);
  const journaled = await journaledGroups(paths.journals);
  const resumed: ResumedGroup[] = [];
  for (const group of groups) {
    const again = againOf(plan, group.index, { paths, mark: partial.get(group.index) });
    if (!journaled.has(group.index)) {
      resumed.push({ ...group, ...again });
      continue;
    }
    const content = await folderJournal(paths.journal(group.index)).read();
    // The answers of rows that are made again count in the mark until they are counted apart.
    if (budget && (!again.again || again.again.spent)) spendJournaled(budget, content.entries);
    resumed.push({ ...withJournaled(group, content, unfailing), ...again });
  }
  return { cost: budget?.cost ?? 0, groups: resumed };
}

/** A row group that another machine may have begun, with its journaled calls and failed cells. */
export async function resumedGroup(plan: Plan, group: RowGroup, paths: DatasetPaths): Promise<ResumedGroup> {
  const content = await folderJournal(paths.journal(group.index)).read();
  const mark = await readPartialGroup(paths, group.index);
  return { ...withJournaled(group, content, unfailingColumns(plan)), ...againOf(plan, group.index, { paths, mark }) };
}

/** The lost rows of a group that are made again, by its mark. */
function againOf(
  plan: Plan,
  group: number,
  { paths, mark }: { readonly paths: DatasetPaths; readonly mark: PartialGroup | undefined },
): Pick<ResumedGroup, 'again'> {
  return mark?.again ? { again: { ...mark.again, files: keptFiles(paths, group, sideTables(plan)) } } : {};
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
function unfailingColumns({ columns, tools }: Plan): ReadonlySet<string> {
  const isUnfailing = ({ config, requires }: Plan['columns'][number]): boolean =>
    config.onFailure === 'abort' || requires.tools.some((alias) => tools[alias]?.onToolFailure === 'abort');
  return new Set(columns.filter(isUnfailing).map(({ name }) => name));
}

/** Spends the cost of journaled answers from a budget, including the tokens of successes without a usable answer. */
export function spendJournaled(budget: Budget, entries: readonly JournalRecord[]): void {
  for (const entry of entries) {
    budget.take(entry.resource, entry.path, entry);
    budget.takeTokens(entry.resource, entry.tries?.spent);
  }
}
