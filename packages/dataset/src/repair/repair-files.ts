import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { batchName, mergedName, spanOf } from '../formats/batch-files.ts';
import type { CheckedBatch } from './check-file.ts';
import { ChecksumLog } from '../logs/checksums.ts';
import type { GroupBytes } from '../files/file-sum.ts';
import { commit } from '../files/commit-file.ts';
import { type DatasetPaths, stagingFolders } from '../dataset-paths.ts';
import { files as disk } from '../files/files.ts';
import type { BatchFormat } from '../formats/formats.ts';
import { makeFolder } from '../files/make-folder.ts';
import { stageMerged } from '../merge/merge-batches.ts';
import { orStorageFailure } from '../files/storage-failure.ts';

/** Options of a repair. */
interface RepairOptions {
  readonly format: BatchFormat;
  /** The row groups that are made again and therefore removed from all files. */
  readonly lost: ReadonlySet<number>;
}

/**
 * Removes lost row groups from the files of a dataset; the caller holds the folder's lock. Writes the other row groups to new
 * files, one per sequence of consecutive groups, and renames the old file to `.damaged`. After an interruption, all other
 * row groups are in the old files or, after `finishRepair`, in the new ones.
 */
export async function repairFiles(
  paths: DatasetPaths,
  files: readonly CheckedBatch[],
  { format, lost }: RepairOptions,
): Promise<void> {
  const { unfinished } = stagingFolders(paths, 'mended');
  await disk().removeTree(unfinished);
  const emptied: CheckedBatch[] = [];
  let hasNewFiles = false;
  for (const file of files.filter(({ groups }) => groups.some((group) => isLost(group, lost)))) {
    const sequences = sequencesOf(file.groups, lost);
    if (sequences.length === 0) emptied.push(file);
    for (const only of sequences) {
      const isStaged = await stagePart(paths, { path: file.path, only, format, unfinished });
      hasNewFiles ||= isStaged;
    }
  }
  await orStorageFailure(paths.folder, async () => {
    if (hasNewFiles) await publish(paths, 'mended');
    for (const { path } of emptied) await setAside(path);
  });
}

/**
 * Gives each of some row groups files of its own, in all tables; the caller holds the folder's lock. After an interruption,
 * all row groups are in the old files or, after `finishRepair`, in the new ones.
 */
export async function partFiles(
  paths: DatasetPaths,
  files: readonly CheckedBatch[],
  { format, groups: alone }: { readonly format: BatchFormat; readonly groups: ReadonlySet<number> },
): Promise<void> {
  const { unfinished } = stagingFolders(paths, 'parted');
  await disk().removeTree(unfinished);
  const merged = files.filter(({ groups }) => groups.length > 1 && groups.some((group) => isLost(group, alone)));
  for (const { path, groups } of merged) {
    const own = groups.filter((group) => isLost(group, alone)).map((group) => [group]);
    for (const only of [...own, ...sequencesOf(groups, alone)])
      await stagePart(paths, { path, only, format, unfinished });
  }
  if (merged.length > 0) await orStorageFailure(paths.folder, () => publish(paths, 'parted'));
}

/** Names the folder of new files as complete, and moves them to their places. */
async function publish(paths: DatasetPaths, name: Replacement): Promise<void> {
  const { unfinished, complete } = stagingFolders(paths, name);
  await disk().rename(unfinished, complete);
  await disk().syncFolder(paths.folder);
  await finishRepair(paths);
}

/** What new files replace: damaged files, which are kept aside, or files that are parted. */
type Replacement = 'mended' | 'parted';

/** Replaces files by the repaired or parted ones, if there are any; also completes an interrupted replacement. */
export async function finishRepair(paths: DatasetPaths): Promise<void> {
  await replaceBy(paths, 'mended', setAside);
  await replaceBy(paths, 'parted', (path) => disk().unlink(path));
}

async function replaceBy(
  paths: DatasetPaths,
  replacement: Replacement,
  remove: (path: string) => Promise<void>,
): Promise<void> {
  const { complete } = stagingFolders(paths, replacement);
  const repaired = await filesBelow(complete);
  if (!repaired) return;
  const moves = repaired.map((path) => ({ path, target: join(paths.folder, relative(complete, path)) }));
  for (const folder of new Set(moves.map(({ target }) => dirname(target)))) {
    const mine = moves.filter(({ target }) => dirname(target) === folder);
    const names = mine.map(({ target }) => basename(target));
    for (const name of await readdir(folder)) {
      if (!names.includes(name) && names.some((one) => covers(name, one))) await remove(join(folder, name));
    }
    for (const { path, target } of mine) await disk().rename(path, target);
    await disk().syncFolder(folder);
  }
  await disk().removeTree(complete);
  // A power cut must not bring them back: a resume would move them over files that were written since.
  await disk().syncFolder(paths.folder);
}

/** Consecutive row groups of a file, and the folder where their new file waits. */
interface FilePart {
  readonly path: string;
  readonly only: readonly GroupBytes[];
  readonly format: BatchFormat;
  readonly unfinished: string;
}

/** Writes a file with some row groups of another one; false if that has none of them. */
async function stagePart(paths: DatasetPaths, { path, only, format, unfinished }: FilePart): Promise<boolean> {
  const target = join(dirname(path), nameOf(only, format));
  const temporary = join(unfinished, relative(paths.folder, target));
  await makeFolder(dirname(temporary));
  const staged = await stageMerged(temporary, [{ path, only }], format);
  if (!staged) return false;
  await new ChecksumLog(paths).add([{ path: target, sum: staged.sum }]);
  await commit(staged);
  return true;
}

/** Renames a damaged file so that it is no longer read as rows. */
export async function setAside(path: string): Promise<void> {
  await disk().rename(path, `${path}.damaged`);
  await disk().syncFolder(dirname(path));
}

function isLost({ group, last = group }: GroupBytes, lost: ReadonlySet<number>): boolean {
  for (let one = group; one <= last; one++) if (lost.has(one)) return true;
  return false;
}

/** The row groups to keep, as sequences of consecutive groups. */
function sequencesOf(groups: readonly GroupBytes[], lost: ReadonlySet<number>): readonly (readonly GroupBytes[])[] {
  const sequences: GroupBytes[][] = [];
  let isOpen = false;
  for (const group of groups) {
    const isKept = !isLost(group, lost);
    if (isKept && isOpen) sequences.at(-1)?.push(group);
    else if (isKept) sequences.push([group]);
    isOpen = isKept;
  }
  return sequences;
}

function nameOf(groups: readonly GroupBytes[], format: BatchFormat): string {
  const first = groups[0]?.group ?? 0;
  const { group, last = group } = groups.at(-1) ?? { group: first };
  return last > first ? mergedName({ first, last }, format) : batchName(first, format);
}

function covers(name: string, other: string): boolean {
  const [outer, inner] = [spanOf(name), spanOf(other)];
  return outer !== undefined && inner !== undefined && outer.first <= inner.first && inner.last <= outer.last;
}

async function filesBelow(folder: string): Promise<readonly string[] | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => undefined);
  return entries?.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
