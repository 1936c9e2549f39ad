import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type CellCounts, type CellFailure, isFields } from '@data-designer/core';
import { type DatasetPaths, markedGroupOf } from '../dataset-paths.ts';
import { files } from '../files/files.ts';
import { removeIfEmpty } from '../files/make-folder.ts';
import { journaledGroups, namesOf } from '../journal/folder-journal.ts';
import { readJsonFile, writeJsonFile } from '../files/json-file.ts';
import { orStorageFailure } from '../files/storage-failure.ts';
import type { FileSum } from '../files/file-sum.ts';
import type { ImageSum } from './checksums.ts';
import type { LoggedCounts } from './usage-log.ts';

/** The counts of a row group that was unfinished when its run ended. */
export interface PartialGroup extends LoggedCounts {
  readonly cells: Readonly<Record<string, CellCounts>>;
  /** The lost rows that are made again; all rows of the group are made if absent. */
  readonly again?: RowsAgain;
}

/** Lost rows of a row group that are made again, beside the rows that it keeps. */
export interface RowsAgain {
  /** Their indexes in the run, ascending. */
  readonly rows: readonly number[];
  /** How many rows the group keeps. */
  readonly kept: number;
  /** The failed cells of the rows that the group keeps. */
  readonly failures: readonly CellFailure[];
  /** The images that the kept rows show. */
  readonly images: readonly ImageSum[];
  /** The checksums of the kept files, the rows before the side tables; null for a file without one. */
  readonly sums?: readonly (FileSum | null)[];
  /** What the group has cost, without the answers in its journal; absent until that is counted. */
  readonly spent?: Pick<LoggedCounts, 'usage' | 'tools' | 'attempts'>;
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
  for (const group of await markedGroups(paths)) groups.set(group, await readPartialGroup(paths, group));
  return groups;
}

/** Reads the counts of a group; none if it is not marked. */
export async function readPartialGroup(
  { partialMark, keptFiles }: Pick<DatasetPaths, 'partialMark' | 'keptFiles'>,
  group: number,
): Promise<PartialGroup> {
  const counts = await readJsonFile(partialMark(group), { exact: false }).catch((failure: unknown) => {
    // The mark counts even if its counts cannot be read, unless it says which rows are made again.
    if (existsSync(keptFiles(group))) throw failure;
    return undefined;
  });
  return { cells: {}, usage: {}, ...(isCounts(counts) ? counts : {}) };
}

/** Marks a group as unfinished, synced when this resolves: its batch file may then exist while its journal still counts. */
export async function markPartial(paths: DatasetPaths, group: number, left: PartialGroup): Promise<void> {
  await writeJsonFile(paths.partialMark(group), left);
}

/** Removes the mark of a group, and the files that it kept. Synced when this resolves: only then may its journal be removed. */
export async function unmarkPartial(paths: DatasetPaths, group: number): Promise<void> {
  const mark = paths.partialMark(group);
  await orStorageFailure(mark, async () => {
    await files().unlink(mark);
    await files().syncFolder(paths.journals);
    const kept = paths.keptFiles(group);
    await files().removeTree(kept);
    await removeIfEmpty(dirname(kept));
  });
}

/** Removes kept files of groups without a mark, which a crash has left: their groups are finished. */
export async function clearKeptOrphans(paths: DatasetPaths): Promise<void> {
  const marked = new Set(await markedGroups(paths));
  const kept = await journaledGroups(dirname(paths.keptFiles(0)));
  const orphans = [...kept].filter((group) => !marked.has(group)).map((group) => paths.keptFiles(group));
  for (const path of orphans) {
    await orStorageFailure(path, async () => {
      await files().removeTree(path);
      await removeIfEmpty(dirname(path));
    });
  }
}

function isCounts(value: unknown): value is Partial<PartialGroup> {
  return isFields(value);
}
