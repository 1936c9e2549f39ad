import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { ColumnRegistry } from '@data-designer/config';
import { DataDesignerError, type Plan, rowGroups, rowsIn } from '@data-designer/core';
import {
  datasetPaths,
  missingDataset,
  findBatches,
  type FoundBatches,
  readPartialGroups,
  hasRunRecord,
  holdsDataset,
  readRunRecord,
  refuseLocked,
  refuseLostFiles,
  type RunRecord,
  sideTables,
  UsageLog,
} from '@data-designer/dataset';
import { droppedTools } from './connect/list-tools.ts';
import type { RunResult } from './run-result.ts';
import { isSelecting } from './select/candidate-plan.ts';
import { RunSummary } from './run-summary.ts';

/** How a dataset is loaded. */
export interface LoadOptions {
  /** Whether to load an unfinished dataset too; default false. */
  readonly unfinished?: boolean;
  /** Budget for all answers, those of a profile included; default: the budget of the run. */
  readonly maxCost?: number | undefined;
}

/**
 * Loads a dataset folder without changing it, also one that NeMo Data Designer made, whose declaration `registry` reads. Throws `dataset/missing`, `dataset/locked` during a run,
 * `dataset/unfinished` and `dataset/damaged`.
 */
export async function loadRun(folder: string, registry: ColumnRegistry, options: LoadOptions = {}): Promise<RunResult> {
  const { unfinished = false, maxCost } = options;
  const path = resolve(folder);
  const paths = datasetPaths(path);
  if (!(await isFolder(paths.parquetFiles))) throw missingDataset(path);
  await refuseLocked(paths.lock);
  if (!holdsDataset(path)) throw missingDataset(path);
  const { loadPython } = await import('./resume/python-folder.ts');
  const python = await loadPython(paths, registry);
  const { plan: recorded } = python ?? (await readRunRecord(paths));
  const plan = maxCost === undefined ? recorded : { ...recorded, maxCost };
  const found = await findBatches(paths);
  if (found.damage !== undefined) throw found.damage;
  await refuseLostFiles(paths, sideTables(plan), plan);
  if (!unfinished && isSelecting(plan)) {
    const { isFinished } = await import('./select/clean-candidates.ts');
    const { rows: made } = found;
    const counts = { made, wanted: rowsIn(plan.segments), what: 'rows' } as const;
    if (!(await isFinished(paths, { plan, rows: made }))) {
      throw new DataDesignerError('dataset/unfinished', { path, ...counts });
    }
  } else if (!unfinished) {
    const wanted = [...rowGroups(plan)].length;
    const made = found.finished.size;
    // NeMo Data Designer writes no file for a row group without rows.
    if (made < wanted && !python) throw new DataDesignerError('dataset/unfinished', { path, made, wanted });
  }
  const summary = await readSummary(path, plan, found);
  const { findDamages } = await import('./find-damages.ts');
  const damages = await findDamages(path, { plan: recorded, summary, registry });
  return { path, datasetName: basename(path), plan, summary, ended: undefined, damages };
}

/** The plan of a dataset, also of one that NeMo Data Designer made, whose declaration `registry` reads. Throws `dataset/damaged`. */
export async function readPlan(folder: string, registry: ColumnRegistry): Promise<Pick<RunRecord, 'plan' | 'format'>> {
  const paths = datasetPaths(folder);
  const { loadPython } = await import('./resume/python-folder.ts');
  return (await loadPython(paths, registry)) ?? (await readRunRecord(paths));
}

/** The totals of a dataset for the row groups that were found in it. */
export async function readSummary(
  folder: string,
  plan: Plan,
  found: Pick<FoundBatches, 'finished' | 'damaged' | 'rows' | 'left'>,
): Promise<RunSummary> {
  const paths = datasetPaths(folder);
  const summary = new RunSummary();
  summary.addEarlier(found.rows);
  for (const took of await new UsageLog(paths.usage).read(found)) summary.addUsage(took);
  if (isSelecting(plan)) {
    const { usageOfCandidates } = await import('./select/clean-candidates.ts');
    for (const took of await usageOfCandidates(folder)) summary.addUsage(took);
  }
  for (const [group, took] of await readPartialGroups(paths)) {
    summary.addLeft(group, { ...took, rows: found.left.get(group) ?? 0 });
  }
  if (isSelecting(plan) || !hasRunRecord(paths)) return summary;
  if (Object.keys(plan.tools).length > 0) {
    summary.addDroppedTools(await droppedTools(plan, (await readRunRecord(paths)).tools));
  }
  return summary;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}
