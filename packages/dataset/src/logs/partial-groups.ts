import { type CellCounts, isFields } from '@data-designer/core';
import { type DatasetPaths, markedGroupOf } from '../dataset-paths.ts';
import { files } from '../files/files.ts';
import { namesOf } from '../journal/folder-journal.ts';
import { readJsonFile, writeJsonFile } from '../files/json-file.ts';
import { orStorageFailure } from '../files/storage-failure.ts';
import type { LoggedCounts } from './usage-log.ts';

/** The counts of a row group that was unfinished when its run ended. */
export interface PartialGroup extends LoggedCounts {
  readonly cells: Readonly<Record<string, CellCounts>>;
}

/** The unfinished row groups of a dataset, by number. */
export type PartialGroups = ReadonlyMap<number, PartialGroup>;

/** The row groups marked as unfinished, with or without a batch file. */
export async function markedGroups({ journals }: Pick<DatasetPaths, 'journals'>): Promise<readonly number[]> {
  return (await namesOf(journals)).flatMap((name) => markedGroupOf(name) ?? []);
}

/** Reads the counts of the groups marked as unfinished. */
export async function readPartialGroups(paths: DatasetPaths): Promise<PartialGroups> {
  const groups = new Map<number, PartialGroup>();
  for (const group of await markedGroups(paths)) {
    // The mark counts even if its counts cannot be read.
    const counts = await readJsonFile(paths.partialMark(group), { exact: false }).catch(() => undefined);
    groups.set(group, { cells: {}, usage: {}, ...(isCounts(counts) ? counts : {}) });
  }
  return groups;
}

/** Marks a group as unfinished, synced when this resolves: its batch file may then exist while its journal still counts. */
export async function markPartial(paths: DatasetPaths, group: number, left: PartialGroup): Promise<void> {
  await writeJsonFile(paths.partialMark(group), left);
}

/** Removes the mark of a group, synced when this resolves: only then may its journal be removed. */
export async function unmarkPartial(paths: DatasetPaths, group: number): Promise<void> {
  const mark = paths.partialMark(group);
  await orStorageFailure(mark, async () => {
    await files().unlink(mark);
    await files().syncFolder(paths.journals);
  });
}

function isCounts(value: unknown): value is Partial<PartialGroup> {
  return isFields(value);
}
