import type { Plan, RowGroup } from '@data-designer/core';
import { addressKey, Budget, budgetOf, isUnanswered } from '@data-designer/gateway';
import { journaledGroups, type JournalRecord, folderJournal } from '@data-designer/dataset/journal';
import type { DatasetPaths } from '@data-designer/dataset';
import type { ResumedGroup } from '../row-group/group-context.ts';

/** What earlier runs have left in the journals of row groups that are still to be made. */
export interface JournaledAnswers {
  /** What the answers cost, as far as they have a price, also those that are void; 0 for a plan without a budget. */
  readonly cost: number;
  /** The groups, with what their makers must know of it. */
  readonly groups: readonly ResumedGroup[];
}

/** Reads the journals of row groups for a run that goes on, before it opens them. */
export async function readJournaledAnswers(
  plan: Plan,
  groups: readonly RowGroup[],
  { journal, journals }: Pick<DatasetPaths, 'journal' | 'journals'>,
): Promise<JournaledAnswers> {
  const bounds = budgetOf(plan);
  const budget = bounds && new Budget(bounds);
  const unfailing = new Set(plan.columns.filter(({ config }) => config.onFailure === 'abort').map(({ name }) => name));
  const journaled = await journaledGroups(journals);
  const resumed: ResumedGroup[] = [];
  for (const group of groups) {
    if (!journaled.has(group.index)) {
      resumed.push(group);
      continue;
    }
    const { entries, failedCells } = await folderJournal(journal(group.index)).read();
    if (budget) for (const entry of paidEntries(entries)) takePaid(budget, entry);
    const journaledCalls = entries.filter((one) => unfailing.has(one.column) && !isUnanswered(one)).map(addressKey);
    resumed.push({
      ...group,
      ...(journaledCalls.length > 0 ? { journaledCalls } : {}),
      ...(failedCells.length > 0 ? { failedCells } : {}),
    });
  }
  return { cost: budget?.cost ?? 0, groups: resumed };
}

const keyOf = (entry: JournalRecord) => `${addressKey(entry)} ${entry.request}`;

/** The entries but those that a later answer to the same request counts in. */
function paidEntries(entries: readonly JournalRecord[]): readonly JournalRecord[] {
  const unanswered = entries.filter(isUnanswered);
  if (unanswered.length === 0) return entries;
  const answered = new Set(entries.filter((entry) => !isUnanswered(entry)).map(keyOf));
  return entries.filter((entry) => !isUnanswered(entry) || !answered.has(keyOf(entry)));
}

function takePaid(budget: Budget, entry: JournalRecord): void {
  budget.take(entry.resource, entry.path, entry);
  budget.takeTokens(entry.resource, entry.tries?.spent);
}
