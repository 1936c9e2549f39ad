import { DataDesignerError, type Plan } from '@data-designer/core';
import { type DatasetFolder, mergeBatches, mergeSideFiles, settleChecksums, sideTables } from '@data-designer/dataset';
import type { RunOptions } from '../run-options.ts';
import type { RunSummary } from '../run-summary.ts';
import { processDataset } from './process-dataset.ts';
import { recordProgress } from './run-metadata.ts';

/** Datasets of more files are merged unless the user decides: up to here every tool can list and open them quickly. */
const MAX_SINGLE_FILES = 1000;

/** Processes a complete dataset as a whole, merges small files, and brings `metadata.json` up to date. */
export async function finishDataset(
  folder: DatasetFolder,
  { plan, summary, isComplete }: { readonly plan: Plan; readonly summary: RunSummary; readonly isComplete: boolean },
  options: RunOptions,
): Promise<void> {
  if (isComplete) {
    const signal = AbortSignal.any([options.signal, options.drain]);
    summary.settleRows((await processDataset(folder, plan, { ...options, signal })) ?? summary.rows);
  }
  if (options.compact ?? (await folder.batches()).length > MAX_SINGLE_FILES) await mergeFiles(folder, plan, options);
  await recordProgress(folder, { plan, summary });
}

/** Merges small files. A failure, such as a full disk, leaves the dataset valid and is reported only. */
async function mergeFiles(folder: DatasetFolder, plan: Plan, { format, onEvent }: RunOptions): Promise<void> {
  // An unfinished group's file must keep its name, by which a later run replaces it.
  if ((await folder.partialGroups()).length > 0) return;
  try {
    await mergeBatches(folder.paths, { format });
    for (const table of sideTables(plan)) await mergeSideFiles(folder.paths, table, format);
    await settleChecksums(folder.paths, sideTables(plan));
  } catch (thrown) {
    onEvent({ type: 'merge-fail', reason: DataDesignerError.fromUnknown(thrown).message });
  }
}
