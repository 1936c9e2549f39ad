import type { Plan, RowGroup } from '@data-designer/core';
import { Budget, budgetOf } from '../gateway/budget.ts';
import { addressKey } from '../gateway/journal.ts';
import type { ResumedGroup } from '../row-group/resumed-group.ts';
import type { DatasetPaths } from './dataset-paths.ts';
import { journaledGroups, readJournal } from './journal-segments.ts';

/** What earlier runs have left in the journals of row groups that are still to be made. */
export interface KeptAnswers {
  /** What the answers cost, as far as they have a price, also those that are void; 0 for a plan without a budget. */
  readonly cost: number;
  /** The groups, with what their makers must know of it. */
  readonly groups: readonly ResumedGroup[];
}

/** Reads the journals of row groups for a run that goes on, before it opens them. */
export async function readKeptAnswers(
  plan: Plan,
  groups: readonly RowGroup[],
  { journal, journals }: Pick<DatasetPaths, 'journal' | 'journals'>,
): Promise<KeptAnswers> {
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
    const { entries, failedCells } = await readJournal(journal(group.index));
    for (const entry of entries) budget?.take(entry.resource, entry.path, entry);
    const keptCalls = entries.filter(({ column }) => unfailing.has(column)).map(addressKey);
    resumed.push({
      ...group,
      ...(keptCalls.length > 0 ? { keptCalls } : {}),
      ...(failedCells.length > 0 ? { failedCells } : {}),
    });
  }
  return { cost: budget?.cost ?? 0, groups: resumed };
}
