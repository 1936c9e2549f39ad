import type { DatasetFolder, RunRecord } from '@data-designer/dataset';
import { groupsLeft } from '../resume/continue-run.ts';
import type { RunOptions } from '../run-options.ts';
import { RunSummary } from '../run-summary.ts';
import { finishDataset } from './finish-dataset.ts';
import { refuseTerminal, replaceDamagedMetadata } from './process-dataset.ts';

/** How a dataset is completed. */
interface CompleteOptions extends Pick<
  RunOptions,
  'signal' | 'drain' | 'functions' | 'format' | 'compact' | 'onEvent'
> {
  /** Whether the run ended before all its rows were made. */
  readonly isEnded: boolean;
}

/** Completes a dataset whose rows are made, after the machine that was doing so is lost. Returns its totals. */
export async function completeDataset(
  folder: DatasetFolder,
  prior: RunRecord,
  { isEnded, ...options }: CompleteOptions,
): Promise<RunSummary> {
  const { plan } = prior;
  await folder.finishFiles();
  await replaceDamagedMetadata(folder, plan, options);
  await refuseTerminal(folder, plan);
  const summary = new RunSummary();
  const { partial } = await groupsLeft(plan, { folder, summary, prior, options: { ...options, rebuy: false } });
  const isComplete = !isEnded && partial.size === 0 && summary.rows > 0;
  await finishDataset(folder, { plan, summary, isComplete }, options);
  return summary;
}
