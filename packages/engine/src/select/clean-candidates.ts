import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DataDesignerError, rowsIn } from '@data-designer/core';
import {
  missingDataset,
  type DatasetPaths,
  datasetPaths,
  findBatches,
  hasRunRecord,
  holdsDataset,
  type LoggedCounts,
  readRunRecord,
  readSelection,
  removeFolder,
  takeFolderLock,
  UsageLog,
} from '@data-designer/dataset';
import { isSelecting, type SelectingPlan } from './candidate-plan.ts';

/** The candidates of a dataset with a selection, which are a dataset in its folder. */
export function candidatePaths(folder: string): DatasetPaths {
  return datasetPaths(join(folder, 'candidates'));
}

/** What the answers in a dataset's candidates took; nothing where it has none. */
export async function usageOfCandidates(folder: string): Promise<readonly LoggedCounts[]> {
  const paths = candidatePaths(folder);
  if (!hasRunRecord(paths)) return [];
  // A copy by git or an object storage lacks the empty folders of a dataset.
  const found = existsSync(paths.parquetFiles) ? await findBatches(paths) : NO_GROUPS;
  const logged = await new UsageLog(paths.usage).read(found);
  // Failed cells of candidates are no cells of the dataset.
  return logged.map(({ failed: _, ...counts }) => counts);
}

const NO_GROUPS = { finished: new Set<number>(), damaged: new Set<number>() };

/** The candidates that were deleted. */
export interface CleanedCandidates {
  /** The number of files. */
  readonly files: number;
  /** Their size in bytes. */
  readonly bytes: number;
}

/** How candidates are deleted. */
export interface CleanOptions {
  /** Whether to count them only. */
  readonly dryRun?: boolean;
  /** Whether to delete the candidates of an unfinished dataset too; their answers are then lost. */
  readonly unfinished?: boolean;
}

/**
 * Deletes the candidates of a dataset with a selection. Without them, no rows can be added. Throws `dataset/missing`,
 * `dataset/locked` during a run, and `dataset/unfinished` unless allowed.
 */
export async function cleanDataset(folder: string, options: CleanOptions = {}): Promise<CleanedCandidates> {
  const paths = datasetPaths(folder);
  if (!holdsDataset(folder)) throw missingDataset(folder);
  await using _ = await takeFolderLock(paths.lock);
  const { plan } = await readRunRecord(paths);
  if (!isSelecting(plan)) return { files: 0, bytes: 0 };
  const { rows } = await findBatches(paths);
  if (options.unfinished !== true && options.dryRun !== true && !(await isFinished(paths, { plan, rows }))) {
    throw new DataDesignerError('select/unfinished', { path: folder, made: rows, wanted: rowsIn(plan.segments) });
  }
  return removeCandidates(paths, options);
}

/** Whether a dataset with a selection has all its rows: as requested, or fewer because of `on_exhausted` or a processor. */
export async function isFinished(
  paths: DatasetPaths,
  { plan, rows }: { readonly plan: SelectingPlan; readonly rows: number },
): Promise<boolean> {
  const wanted = rowsIn(plan.segments);
  if (rows >= wanted) return true;
  return ((await readSelection(paths.metadata))?.finished_for ?? 0) >= wanted;
}

/** Deletes candidates under the folder's lock; their usage stays in the dataset's log. */
export async function removeCandidates(
  paths: DatasetPaths,
  { dryRun = false }: Pick<CleanOptions, 'dryRun'> = {},
): Promise<CleanedCandidates> {
  const from = candidatePaths(paths.folder);
  if (!existsSync(from.folder)) return { files: 0, bytes: 0 };
  const sizes = await fileSizes(from.folder);
  const cleaned = { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  if (dryRun) return cleaned;
  const log = new UsageLog(paths.usage);
  for (const took of await usageOfCandidates(paths.folder)) await log.add(null, took);
  await removeFolder(from.folder);
  return cleaned;
}

async function fileSizes(folder: string): Promise<readonly number[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
}
