import { readFile } from 'node:fs/promises';
import type { Plan, RowGroup } from '@data-designer/core';
import { Budget, budgetOf } from '../gateway/budget.ts';
import { addressKey } from '../gateway/journal.ts';
import { decodeJournal, type JournalRecord } from '../gateway/journal-file.ts';
import type { ResumedGroup } from '../row-group/resumed-group.ts';
import type { DatasetPaths } from './dataset-paths.ts';
import { storageFailure } from './storage-failure.ts';

/** What earlier runs have left in the journals of row groups that are still to be made. */
export interface KeptAnswers {
  /** What the answers cost, as far as they have a price, also those that are void; 0 for a plan without a budget. */
  readonly cost: number;
  /** The groups, with what their makers must know of it. */
  readonly groups: readonly ResumedGroup[];
}

/** Reads journals for a run that goes on, before it opens them; a plan without a budget or cells that must not fail reads none. */
export async function readKeptAnswers(
  plan: Plan,
  groups: readonly RowGroup[],
  { journal }: Pick<DatasetPaths, 'journal'>,
): Promise<KeptAnswers> {
  const bounds = budgetOf(plan);
  const budget = bounds && new Budget(bounds);
  const unfailing = new Set(plan.columns.filter(({ config }) => config.onFailure === 'abort').map(({ name }) => name));
  if (!budget && unfailing.size === 0) return { cost: 0, groups };
  const resumed: ResumedGroup[] = [];
  for (const group of groups) {
    const entries = await readJournal(journal(group.index));
    for (const entry of entries) budget?.take(entry.resource, entry.path, entry);
    const keptCalls = entries.filter(({ column }) => unfailing.has(column)).map(addressKey);
    resumed.push(keptCalls.length > 0 ? { ...group, keptCalls } : group);
  }
  return { cost: budget?.cost ?? 0, groups: resumed };
}

/** The entries of a journal; none where there is no such file. Throws `dataset/*`. */
export async function readJournal(path: string): Promise<readonly JournalRecord[]> {
  try {
    return decodeJournal(await readFile(path)).entries;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw storageFailure(thrown, path);
  }
}
