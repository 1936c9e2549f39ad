import { DataDesignerError, type Plan, type RowGroup, rowGroups } from '@data-designer/core';
import { continuePlan, findBatches, type FoundBatches, readRunRecord, type RunRecord, setAside } from './prior-run.ts';
import type { RunOptions } from './run-options.ts';
import type { RunSummary } from './run-summary.ts';
import { finishMerges } from './store/batch-files.ts';
import type { DatasetFolder } from './store/dataset-folder.ts';
import { FailureLog } from './store/failure-log.ts';
import { journaledGroups, removeJournal } from './store/journal-segments.ts';
import { clearSideOrphans, makeSideFolders, sideFolders, sideTables } from './store/side-tables.ts';
import { type PartialGroups, readPartialGroups } from './store/partial-groups.ts';
import { UsageLog } from './store/usage-log.ts';

/** The plan as it is carried out: a new one, or the continuation of the one that the folder records. */
export async function planOf(
  plan: Plan,
  folder: DatasetFolder,
  { resume, seed, format }: Pick<RunOptions, 'resume' | 'seed' | 'format'>,
): Promise<{ plan: Plan; prior?: RunRecord }> {
  if (resume === 'never' || (await neverBegan(folder))) return { plan };
  const prior = await readRunRecord(folder.paths);
  if (prior.format !== format) {
    const reason = `its files are ${prior.format}, not ${format} (asked for by -f ${prior.format}, or format: '${prior.format}')`;
    throw new DataDesignerError('dataset/incompatible', { path: folder.path, reason });
  }
  const before = { path: folder.path, plan: prior.plan, hasAnswers: await folder.hasAnswers() };
  return { plan: continuePlan(plan, before, seed), prior };
}

/** An earlier run that was killed before it asked for anything has left a folder and nothing to continue. */
async function neverBegan(folder: DatasetFolder): Promise<boolean> {
  return (await folder.readRun()) === undefined && (await folder.batches()).length === 0;
}

const NOTHING_FOUND: FoundBatches = {
  finished: new Set(),
  damaged: new Set(),
  rows: 0,
  left: new Map(),
  unreadable: new Set(),
  damage: undefined,
};

/** The row groups that are still to be made; what earlier runs made is counted in. */
export async function groupsLeft(
  plan: Plan,
  { folder, summary, prior }: { folder: DatasetFolder; summary: RunSummary; prior: RunRecord | undefined },
): Promise<{ left: readonly RowGroup[]; partial: PartialGroups }> {
  const found = prior ? await findBatches(folder.paths) : NOTHING_FOUND;
  for (const took of await new UsageLog(folder.paths.usage).settle(found)) summary.addUsage(took);
  const tables = sideTables(plan);
  if (!prior) {
    await makeSideFolders(folder.paths, tables);
    return { left: [...rowGroups(plan)], partial: new Map() };
  }
  const { finished, unreadable } = found;
  await setAside(folder, unreadable);
  for (const table of tables) await finishMerges(sideFolders(folder.paths, table));
  await folder.clearUnfinished();
  await clearSideOrphans(folder.paths, tables);
  await makeSideFolders(folder.paths, tables);
  await new FailureLog(folder.paths.failures).keepOnly(finished);
  summary.addEarlier(found.rows);
  for (const group of await journaledGroups(folder.paths.journals)) {
    // A run that ended between a commit and the end of its journal leaves the journal behind.
    if (finished.has(group)) await removeJournal(folder.paths.journal(group));
  }
  const partial = await readPartialGroups(folder.paths);
  for (const [group, took] of partial) summary.addLeft(group, { ...took, rows: found.left.get(group) ?? 0 });
  return { left: [...rowGroups(plan)].filter(({ index }) => !finished.has(index)), partial };
}
