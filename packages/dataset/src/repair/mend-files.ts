import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { batchName, mergedName, spanOf } from '../read/batch-files.ts';
import type { CheckedBatch } from './check-file.ts';
import { ChecksumLog, type GroupBytes } from './checksums.ts';
import { commit } from '../files/commit-file.ts';
import type { DatasetPaths } from '../dataset-paths.ts';
import { files as disk } from '../files/files.ts';
import type { BatchFormat } from '../formats/formats.ts';
import { makeFolder } from '../files/make-folder.ts';
import { stageMerged } from '../merge/merge-batches.ts';
import { storageFailure } from '../files/storage-failure.ts';

/** What damaged files become. */
interface Mending {
  readonly format: BatchFormat;
  /** The row groups that are made again: no file keeps them. */
  readonly lost: ReadonlySet<number>;
}

/** Where the new files are while they are written, and where they are once all of them are there. */
function foldersOf({ folder, partialFiles }: DatasetPaths): { readonly begun: string; readonly whole: string } {
  return { begun: join(partialFiles, 'mended'), whole: join(folder, 'mended-files') };
}

/**
 * Takes lost row groups out of the files of a dataset; for who holds the folder's lock. What a file holds beside them is
 * written to new files, one for each stretch of row groups; the file itself is set aside as `.damaged`. Cut off at any moment,
 * all other row groups are in the old files or, with `finishMending`, in the new ones.
 */
export async function mendFiles(
  paths: DatasetPaths,
  files: readonly CheckedBatch[],
  { format, lost }: Mending,
): Promise<void> {
  const { begun, whole } = foldersOf(paths);
  const log = new ChecksumLog(paths);
  await disk().removeTree(begun);
  const emptied: CheckedBatch[] = [];
  let isBegun = false;
  for (const file of files.filter(({ groups }) => groups.some((group) => isLost(group, lost)))) {
    const stretches = stretchesOf(file.groups, lost);
    if (stretches.length === 0) emptied.push(file);
    for (const only of stretches) {
      const target = join(dirname(file.path), nameOf(only, format));
      const temporary = join(begun, relative(paths.folder, target));
      await makeFolder(dirname(temporary));
      const staged = await stageMerged(temporary, [{ path: file.path, only }], format);
      if (!staged) continue;
      await log.add([{ path: target, sum: staged.sum }]);
      await commit(staged);
      isBegun = true;
    }
  }
  try {
    if (isBegun) {
      await disk().rename(begun, whole);
      await disk().syncFolder(paths.folder);
      await finishMending(paths);
    }
    for (const { path } of emptied) await setAside(path);
  } catch (thrown) {
    throw storageFailure(thrown, paths.folder);
  }
}

/** Puts mended files in the place of the damaged ones, if there are some, also where that was cut off. */
export async function finishMending(paths: DatasetPaths): Promise<void> {
  const { whole } = foldersOf(paths);
  const mended = await filesBelow(whole);
  if (!mended) return;
  const placed = mended.map((path) => ({ path, target: join(paths.folder, relative(whole, path)) }));
  for (const folder of new Set(placed.map(({ target }) => dirname(target)))) {
    const mine = placed.filter(({ target }) => dirname(target) === folder);
    const names = mine.map(({ target }) => basename(target));
    for (const name of await readdir(folder)) {
      if (!names.includes(name) && names.some((one) => covers(name, one))) await setAside(join(folder, name));
    }
    for (const { path, target } of mine) await disk().rename(path, target);
    await disk().syncFolder(folder);
  }
  await disk().removeTree(whole);
}

/** Gives a file another name, under which nobody takes it for rows. */
export async function setAside(path: string): Promise<void> {
  await disk().rename(path, `${path}.damaged`);
  await disk().syncFolder(dirname(path));
}

function isLost({ group, last = group }: GroupBytes, lost: ReadonlySet<number>): boolean {
  for (let one = group; one <= last; one++) if (lost.has(one)) return true;
  return false;
}

/** The row groups that are kept, as stretches that follow one another. */
function stretchesOf(groups: readonly GroupBytes[], lost: ReadonlySet<number>): readonly (readonly GroupBytes[])[] {
  const stretches: GroupBytes[][] = [];
  let isOpen = false;
  for (const group of groups) {
    const isKept = !isLost(group, lost);
    if (isKept && isOpen) stretches.at(-1)?.push(group);
    else if (isKept) stretches.push([group]);
    isOpen = isKept;
  }
  return stretches;
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
