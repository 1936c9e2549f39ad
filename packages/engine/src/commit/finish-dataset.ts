import { DataDesignerError, type Plan } from '@data-designer/core';
import {
  type DatasetFolder,
  mergeBatches,
  mergeSideFiles,
  type SelectionRecord,
  settleChecksums,
  sideTables,
} from '@data-designer/dataset';
import type { RunOptions } from '../run-options.ts';
import type { RunSummary } from '../run-summary.ts';
import { processDataset } from './process-dataset.ts';
import { recordProgress } from './run-metadata.ts';

/** Datasets of more files are merged unless the user decides: up to here every tool can list and open them quickly. */
const MAX_SINGLE_FILES = 1000;

/** A dataset at the end of a run. */
interface EndedDataset {
  readonly plan: Plan;
  readonly summary: RunSummary;
  readonly isComplete: boolean;
  /** The selection of its rows; absent without one. */
  readonly selection?: EndedSelection;
}

/** The selection of a dataset's rows at the end of a run. */
export interface EndedSelection {
  readonly record: SelectionRecord;
  /** The last row group, whose file a later run may replace. */
  readonly lastGroup: number;
  /** Whether row groups have no accepted rows: their files are merged with others in any case. */
  readonly hasEmptyFiles: boolean;
}

/** How a dataset is finished. */
export type FinishOptions = Pick<RunOptions, 'signal' | 'drain' | 'functions' | 'format' | 'compact' | 'onEvent'>;

/** Processes a complete dataset as a whole, merges small files, and brings `metadata.json` up to date. */
export async function finishDataset(
  folder: DatasetFolder,
  { plan, summary, isComplete, selection }: EndedDataset,
  options: FinishOptions,
): Promise<void> {
  if (isComplete) {
    const signal = AbortSignal.any([options.signal, options.drain]);
    summary.settleRows((await processDataset(folder, plan, { ...options, signal })) ?? summary.rows);
  }
  const isMerged = async () => selection?.hasEmptyFiles === true || (await folder.batches()).length > MAX_SINGLE_FILES;
  if (options.compact ?? (await isMerged())) {
    await mergeFiles(folder, { plan, ...(selection ? { before: selection.lastGroup } : {}) }, options);
  }
  await recordProgress(folder, { plan, summary, selection: selection?.record });
}

/** Merges small files. A failure, such as a full disk, leaves the dataset valid and is reported only. */
async function mergeFiles(
  folder: DatasetFolder,
  { plan, before }: { readonly plan: Plan; readonly before?: number },
  { format, onEvent }: FinishOptions,
): Promise<void> {
  // An unfinished group's file must keep its name, by which a later run replaces it.
  if ((await folder.partialGroups()).length > 0) return;
  try {
    await mergeBatches(folder.paths, { format, ...(before === undefined ? {} : { before }) });
    for (const table of sideTables(plan)) await mergeSideFiles(folder.paths, table, format);
    await settleChecksums(folder.paths, sideTables(plan));
  } catch (thrown) {
    onEvent({ type: 'merge-fail', reason: DataDesignerError.fromUnknown(thrown).message });
  }
}
