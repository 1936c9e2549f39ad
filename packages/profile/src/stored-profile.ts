import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { fieldsOf, isFields, type Plan } from '@data-designer/core';
import {
  type BatchFile,
  batchFiles,
  type DatasetMetadata,
  datasetPaths,
  fileStamp,
  readJsonFile,
  readCheckedFile,
  takeFolderLock,
  type UsageByAlias,
  UsageLog,
  writeCheckedFile,
  writeJsonFile,
} from '@data-designer/dataset';
import { columnStatistics } from './columns/column-statistics.ts';
import type { Summary } from './judges/judge-summary.ts';
import type { CountedProfile } from './profile-dataset.ts';

/** A profile as it is stored, with the summaries by `summaryKey`. */
export interface StoredProfile {
  readonly profile: CountedProfile;
  readonly summaries: Readonly<Record<string, Summary>>;
}

interface ProfileFile extends StoredProfile {
  /** A hash of the data files and the profilers; another hash means that the profile is out of date. */
  readonly stamp: string;
}

/** The version of stored profiles; a profile of another version is calculated again. */
const VERSION = 3;

/** The profile in a dataset's folder, and whether it describes the present files; undefined if there is none, or a damaged one. */
export async function readProfile(
  folder: string,
  plan: Plan,
): Promise<{ readonly stored: StoredProfile; readonly isCurrent: boolean } | undefined> {
  const stored = await readCheckedFile(datasetPaths(folder).profile);
  if (!isProfileFile(stored)) return undefined;
  return { stored, isCurrent: stored.stamp === (await stampOf(folder, plan)) };
}

/** The usage of the summaries by model alias, and the dataset's usage and cost including it. */
interface SummaryUsage {
  readonly asked: UsageByAlias;
  readonly metadata: Pick<DatasetMetadata, 'usage' | 'cost'>;
}

/** Stores a profile, and its columns in `metadata.json`, unless the folder is read-only or locked by a run. */
export async function storeProfile(
  folder: string,
  { stored, plan }: { readonly stored: StoredProfile; readonly plan: Plan },
  { asked, metadata }: SummaryUsage,
): Promise<void> {
  const paths = datasetPaths(folder);
  try {
    await using _ = await takeFolderLock(paths.lock);
    await new UsageLog(paths.usage).add(null, { usage: asked });
    const stamp = await stampOf(folder, plan);
    const before = fieldsOf(await readJsonFile(paths.metadata));
    const column_statistics = stored.profile.columns.map(columnStatistics);
    const spent = Object.keys(asked).length > 0 ? metadata : {};
    // Each waits for the disk.
    await Promise.all([
      writeCheckedFile(paths.profile, { stamp, ...stored } satisfies ProfileFile),
      writeJsonFile(paths.metadata, { ...before, ...spent, column_statistics }, { sortKeys: true }),
    ]);
  } catch {
    // A later call makes the profile again.
  }
}

function isProfileFile(value: unknown): value is ProfileFile {
  return isFields(value) && typeof value.stamp === 'string';
}

async function stampOf(folder: string, { profilers = [], segments }: Plan): Promise<string> {
  const files = await batchFiles(datasetPaths(folder));
  const facts = await Promise.all(files.map(factsOf));
  const asked = profilers.map(({ resource, sampleSize }) => [resource.id, sampleSize]);
  return createHash('sha256')
    .update(JSON.stringify([VERSION, facts, asked, segments]))
    .digest('hex');
}

async function factsOf({ path }: BatchFile): Promise<readonly unknown[]> {
  const { size, mtimeMs } = await fileStamp(path);
  return [basename(path), size, mtimeMs];
}
