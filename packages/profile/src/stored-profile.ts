import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Plan } from '@data-designer/core';
import {
  type BatchFile,
  batchFiles,
  type DatasetMetadata,
  datasetPaths,
  readJsonFile,
  takeFolderLock,
  type UsageByAlias,
  UsageLog,
  writeJsonFile,
} from '@data-designer/dataset';
import { columnStatistics } from './columns/column-statistics.ts';
import type { Summary } from './judges/judge-summary.ts';
import type { CountedProfile } from './profile-dataset.ts';

/** A profile as it is kept, with what models said by what they were asked. */
export interface StoredProfile {
  readonly profile: CountedProfile;
  readonly summaries: Readonly<Record<string, Summary>>;
}

interface ProfileFile extends StoredProfile {
  /** Of the data files and of who summarises: with others the profile is out of date. */
  readonly stamp: string;
}

/** The version of stored profiles; a profile of another version is calculated again. */
const FORM = 2;

/** The profile that a dataset's folder holds, and whether it is of the files that are there; undefined where there is none. */
export async function readProfile(
  folder: string,
  plan: Plan,
): Promise<{ readonly stored: StoredProfile; readonly isCurrent: boolean } | undefined> {
  const stored = (await readJsonFile(datasetPaths(folder).profile, { exact: false }).catch(() => undefined)) as
    ProfileFile | undefined;
  if (!stored) return undefined;
  return { stored, isCurrent: stored.stamp === (await stampOf(folder, plan)) };
}

/** What asking models for a profile took, by alias, and what all answers of the dataset cost with it. */
interface Taken {
  readonly asked: UsageByAlias;
  readonly metadata: Pick<DatasetMetadata, 'usage' | 'cost'>;
}

/**
 * Keeps a profile beside the dataset, and its columns in `metadata.json`. Where the folder cannot be written, or a run is
 * at work there, nothing is kept: the profile is as good.
 */
export async function keepProfile(
  folder: string,
  { stored, plan }: { readonly stored: StoredProfile; readonly plan: Plan },
  { asked, metadata }: Taken,
): Promise<void> {
  const paths = datasetPaths(folder);
  try {
    await using _ = await takeFolderLock(paths.lock);
    await new UsageLog(paths.usage).add(null, { usage: asked });
    const stamp = await stampOf(folder, plan);
    await writeJsonFile(paths.profile, { stamp, ...stored } satisfies ProfileFile);
    const before = ((await readJsonFile(paths.metadata)) ?? {}) as DatasetMetadata;
    const column_statistics = stored.profile.columns.map(columnStatistics);
    const spent = Object.keys(asked).length > 0 ? metadata : {};
    await writeJsonFile(paths.metadata, { ...before, ...spent, column_statistics }, { sortKeys: true });
  } catch {
    // Nothing is lost but the time to make it again.
  }
}

async function stampOf(folder: string, { profilers = [], segments }: Plan): Promise<string> {
  const files = await batchFiles(datasetPaths(folder));
  const facts = await Promise.all(files.map(factsOf));
  const asked = profilers.map(({ resource, sampleSize }) => [resource.id, sampleSize]);
  return createHash('sha256')
    .update(JSON.stringify([FORM, facts, asked, segments]))
    .digest('hex');
}

async function factsOf({ path }: BatchFile): Promise<readonly unknown[]> {
  const { size, mtimeMs } = await stat(path);
  return [basename(path), size, mtimeMs];
}
