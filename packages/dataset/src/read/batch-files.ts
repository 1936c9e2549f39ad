import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type DatasetPaths, groupDigits, type GroupSpan } from '../dataset-paths.ts';
import { files as disk } from '../files/files.ts';
import { type BatchFormat, isBatchFormat } from '../formats/formats.ts';

/** A committed file of a dataset. */
export interface BatchFile extends GroupSpan {
  readonly path: string;
}

/** The folders in which batch files are looked for. */
export type BatchFolders = Pick<DatasetPaths, 'parquetFiles' | 'partialFiles'>;

/** The name of a row group's file. */
export function batchName(group: number, format: BatchFormat): string {
  return `batch_${groupDigits(group)}.${format}`;
}

/** The name of a file that holds several row groups; it sorts among the others by its first group. */
export function mergedName({ first, last }: GroupSpan, format: BatchFormat): string {
  return `batch_${groupDigits(first)}-${groupDigits(last)}.${format}`;
}

/** The row groups that a file name stands for; undefined if it is not the name of a batch. */
export function spanOf(fileName: string): GroupSpan | undefined {
  const [, first, last = first, ending = ''] = /^batch_(\d+)(?:-(\d+))?\.([a-z\d]+)$/.exec(fileName) ?? [];
  return first !== undefined && isBatchFormat(ending) ? { first: Number(first), last: Number(last) } : undefined;
}

/**
 * The committed files of a dataset in the order of their groups, each group in one of them. A merged file that is whole
 * counts from when it has its name, wherever it stands; the files that it was made of then count no more.
 */
export async function batchFiles(folders: BatchFolders): Promise<readonly BatchFile[]> {
  // First what is to be moved: whoever moves it meanwhile, it is seen in one of the two places.
  const pending = await pendingMerges(folders);
  const committed = filesIn(folders.parquetFiles, await readdir(folders.parquetFiles));
  const files = [...pending, ...committed].toSorted((a, b) => a.first - b.first || b.last - a.last);
  let covered = -1;
  return files.filter(({ last }) => {
    if (last <= covered) return false;
    covered = last;
    return true;
  });
}

/** Brings merges that were cut off to their end; for who holds the folder's lock. */
export async function finishMerges(folders: BatchFolders): Promise<void> {
  for (const merged of await pendingMerges(folders)) await putInPlace(merged, folders);
}

/**
 * Gives a merged file the place of the files that it was made of. These go first: at no moment is a row there twice for
 * whoever reads all files, and the merged file is found where it stands until it has its place.
 */
async function putInPlace(
  { path, first, last }: BatchFile,
  { parquetFiles, partialFiles }: BatchFolders,
): Promise<void> {
  const replaced = filesIn(parquetFiles, await readdir(parquetFiles)).filter(
    (file) => file.first >= first && file.last <= last,
  );
  await Promise.all(replaced.map((file) => disk().unlink(file.path)));
  await disk().syncFolder(parquetFiles);
  await disk().rename(
    path,
    path.replace(partialFiles, () => parquetFiles),
  );
  await disk().syncFolder(parquetFiles);
}

/** Merged files that are whole and not yet in their place. */
async function pendingMerges({ partialFiles }: BatchFolders): Promise<readonly BatchFile[]> {
  const names = await readdir(partialFiles).catch(() => []);
  // A file of one group there is being written, and does not count before its commit.
  return filesIn(partialFiles, names).filter(({ first, last }) => last > first);
}

function filesIn(folder: string, names: readonly string[]): BatchFile[] {
  return names.flatMap((name) => {
    const span = spanOf(name);
    return span ? [{ ...span, path: join(folder, name) }] : [];
  });
}
