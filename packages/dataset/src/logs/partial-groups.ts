import type { CellCounts } from '@data-designer/core';
import { type DatasetPaths, markedGroupOf } from '../dataset-paths.ts';
import { files } from '../files/files.ts';
import { namesOf } from '../journal/folder-journal.ts';
import { readJsonFile, writeJsonFile } from '../files/json-file.ts';
import { storageFailure } from '../files/storage-failure.ts';
import type { LoggedCounts } from './usage-log.ts';

/** What the end of a run has left of a row group: what it took until then. */
export interface PartialGroup extends LoggedCounts {
  readonly cells: Readonly<Record<string, CellCounts>>;
}

/** The row groups of a dataset that were left unfinished, by number. */
export type PartialGroups = ReadonlyMap<number, PartialGroup>;

/** The row groups that are marked as not finished, those without a batch file included. */
export async function markedGroups({ journals }: Pick<DatasetPaths, 'journals'>): Promise<readonly number[]> {
  return (await namesOf(journals)).flatMap((name) => markedGroupOf(name) ?? []);
}

/** Reads what is known of the groups that are marked as not finished. */
export async function readPartialGroups(paths: DatasetPaths): Promise<PartialGroups> {
  const groups = new Map<number, PartialGroup>();
  for (const group of await markedGroups(paths)) {
    // That the mark is there says enough: what it holds are counts.
    const told = await readJsonFile(paths.partialMark(group), { exact: false }).catch(() => ({}));
    groups.set(group, { cells: {}, usage: {}, ...(told as Partial<PartialGroup> | undefined) });
  }
  return groups;
}

/** Marks a group as not finished, on disk when this ends: its file may then be there, and its journal still counts. */
export async function markPartial(paths: DatasetPaths, group: number, left: PartialGroup): Promise<void> {
  await writeJsonFile(paths.partialMark(group), left);
}

/** Takes the mark of a group away, on disk when this ends: only then may its journal go. */
export async function unmarkPartial(paths: DatasetPaths, group: number): Promise<void> {
  const mark = paths.partialMark(group);
  try {
    await files().unlink(mark);
    await files().syncFolder(paths.journals);
  } catch (thrown) {
    throw storageFailure(thrown, mark);
  }
}
