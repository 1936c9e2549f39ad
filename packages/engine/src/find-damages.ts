import { fieldsOf, messageOf, type Plan } from '@data-designer/core';
import {
  datasetPaths,
  hasRunRecord,
  logDamages,
  readJsonFile,
  readPartialGroups,
  refuseLostFiles,
  sideTables,
} from '@data-designer/dataset';
import { journaledGroups } from '@data-designer/dataset/journal';
import { lostUsage } from './resume/restore-usage.ts';
import { candidatePaths } from './select/clean-candidates.ts';
import { isSelecting } from './select/candidate-plan.ts';
import type { RunSummary } from './run-summary.ts';

/** What is damaged in the folder of a dataset that no run is making, besides the content of its rows: one sentence for each file. */
export async function findDamages(folder: string, plan: Plan, summary: RunSummary): Promise<readonly string[]> {
  const paths = datasetPaths(folder);
  if (!hasRunRecord(paths)) return [];
  const damages = [...(await logDamages(paths))];
  const candidates = candidatePaths(folder);
  if (isSelecting(plan) && hasRunRecord(candidates)) {
    damages.push(...(await logDamages(candidates)).map((damage) => `candidates/${damage}`));
  }
  try {
    await refuseLostFiles(paths, sideTables(plan), plan);
  } catch (thrown) {
    damages.push(messageOf(thrown));
  }
  // Answers in journals count once their groups are made again.
  const isOpen = (await readPartialGroups(paths)).size > 0 || (await journaledGroups(paths.journals)).size > 0;
  try {
    if ((await readJsonFile(paths.builderConfig)) === undefined) damages.push('builder_config.json: it is not there.');
  } catch (thrown) {
    damages.push(messageOf(thrown));
  }
  const metadata = await readJsonFile(paths.metadata).catch(() => undefined);
  if (!isOpen && lostUsage(fieldsOf(metadata), plan, summary).length > 0)
    damages.push('usage.jsonl: it counts less usage than metadata.json.');
  return damages;
}
