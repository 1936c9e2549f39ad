import { type Plan, rowGroups } from '@data-designer/core';
import { Budget, budgetOf } from '@data-designer/gateway';
import { datasetPaths, findBatches, hasRunRecord, readRunRecord, UsageLog } from '@data-designer/dataset';
import { folderJournal } from '@data-designer/dataset/journal';
import { isSelecting } from './candidate-plan.ts';
import { candidatePaths } from './clean-candidates.ts';
import { RunSummary } from '../run-summary.ts';
import { spendJournaled } from '../resume/journaled-answers.ts';

/**
 * The cost of all answers of a dataset at the prices of these models, journaled ones included, as the budget of its next
 * run would count them; 0 where no run has begun there. Throws `dataset/*`.
 */
export async function costOfDataset(folder: string, models: Plan['models']): Promise<number> {
  const paths = datasetPaths(folder);
  if (!hasRunRecord(paths)) return 0;
  const { plan } = await readRunRecord(paths);
  if (isSelecting(plan)) return costOfDataset(candidatePaths(folder).folder, models);
  const found = await findBatches(paths);
  const summary = new RunSummary();
  for (const took of await new UsageLog(paths.usage).read(found)) summary.addUsage(took);
  const priced = { ...plan, models, maxCost: Number.MAX_VALUE };
  const bounds = budgetOf(priced, summary.knownCost(priced));
  if (!bounds) return 0;
  const budget = new Budget(bounds);
  for (const { index } of rowGroups(plan)) {
    if (found.finished.has(index)) continue;
    const { entries } = await folderJournal(paths.journal(index)).read();
    spendJournaled(budget, entries);
  }
  return budget.cost;
}
