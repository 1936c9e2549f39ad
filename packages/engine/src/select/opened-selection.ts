import { DataDesignerError } from '@data-designer/core';
import {
  type ComparedInputs,
  type DatasetFolder,
  findBatches,
  hasRunRecord,
  readRunRecord,
  type RunRecord,
} from '@data-designer/dataset';
import { recordStart } from '../commit/run-metadata.ts';
import type { RunOptions } from '../run-options.ts';
import type { SelectingPlan } from './candidate-plan.ts';
import { candidatePaths, isFinished } from './clean-candidates.ts';
import type { RowJudge } from './row-judge.ts';

/** A selection whose folder is open. */
export interface OpenedSelection {
  readonly plan: SelectingPlan;
  readonly judge: RowJudge;
  readonly folder: DatasetFolder;
  readonly options: RunOptions;
  /** Keeps the folder from now on. */
  readonly keep: () => void;
  /** By `performance.now()`. */
  readonly startedAt: number;
}

/** What the run of the candidates recorded; undefined before its first step. */
export async function recordOfCandidates({ path }: DatasetFolder): Promise<RunRecord | undefined> {
  const paths = candidatePaths(path);
  return hasRunRecord(paths) ? readRunRecord(paths) : undefined;
}

/** Records the plan, and the tools and tables of its candidates. */
export async function recordSelection({ plan, judge, folder, options }: OpenedSelection): Promise<void> {
  const { tools = {}, tables = [] } = (await recordOfCandidates(folder)) ?? {};
  const { compared } = judge;
  const record = { plan, format: options.format, tools, tables, ...(compared ? { compared } : {}) };
  await recordStart(folder, record, options.document);
}

/**
 * The rows of a dataset to which none can be added: all of them were processed together, or its candidates were deleted.
 * Undefined for any other.
 */
export async function rowsOfFinal({ plan, folder }: OpenedSelection): Promise<number | undefined> {
  const isProcessed = (await folder.readMetadata())?.post_generation_processed === true;
  if (!isProcessed && ((await recordOfCandidates(folder)) || (await folder.batches()).length === 0)) return undefined;
  const { rows } = await findBatches(folder.paths);
  if (isProcessed || (await isFinished(folder.paths, { plan, rows }))) return rows;
  throw new DataDesignerError('select/cleaned', { path: folder.path });
}

/**
 * Throws `dataset/incompatible` if a file or dataset that rows are compared with has changed since an earlier run, whose
 * rows would then be decided otherwise.
 */
export function refuseOtherInputs(path: string, before: ComparedInputs | undefined, now: ComparedInputs | undefined) {
  if (!before || !now) return;
  const datasets = Object.keys(now.uniqueAgainst).filter((one) => before.uniqueAgainst[one] !== now.uniqueAgainst[one]);
  const changed = [
    ...(before.notIn === now.notIn ? [] : ["the benchmark files in 'not_in'"]),
    ...datasets.map((folder) => `the dataset ${folder} in 'unique_against'`),
  ];
  if (changed.length === 0) return;
  const reason = `${changed.join(' and ')} changed after its first rows were selected`;
  const remedy = "Restore what changed, or make a new dataset with this one in 'unique_against'.";
  throw new DataDesignerError('dataset/incompatible', { path, reason, remedy });
}
