import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type DatasetPaths, groupDigits, type GroupSpan } from '../dataset-paths.ts';
import { files as disk } from '../files/files.ts';
import { type BatchFormat, isBatchFormat } from './formats.ts';

/** A committed data file and its row groups. */
export interface BatchFile extends GroupSpan {
  readonly path: string;
}

/** The folders of committed and unfinished batch files. */
export type BatchFolders = Pick<DatasetPaths, 'parquetFiles' | 'partialFiles'>;

/** The name of a row group's file. */
export function batchName(group: number, format: BatchFormat): string {
  return `batch_${groupDigits(group)}.${format}`;
}

/** The name of a file with several row groups; it sorts by its first group. */
export function mergedName({ first, last }: GroupSpan, format: BatchFormat): string {
  return `batch_${groupDigits(first)}-${groupDigits(last)}.${format}`;
}

/** The row groups of a batch file, by its name; undefined for other names. */
export function spanOf(fileName: string): GroupSpan | undefined {
  const [, first, last = first, ending = ''] = /^batch_(\d+)(?:-(\d+))?\.([a-z\d]+)$/.exec(fileName) ?? [];
  return first !== undefined && isBatchFormat(ending) ? { first: Number(first), last: Number(last) } : undefined;
}

/** The files in order of their row groups; a merged file replaces its sources as soon as it has its final name. */
export async function batchFiles(folders: BatchFolders): Promise<readonly BatchFile[]> {
  // Pending merges first: a file that is moved meanwhile is then seen in at least one of the folders.
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

/** Completes interrupted merges; the caller holds the folder's lock. */
export async function finishMerges(folders: BatchFolders): Promise<void> {
  for (const merged of await pendingMerges(folders)) await replaceMerged(merged, folders);
}

/** Moves a merged file to the folder of its sources. Removes the sources first, so that readers never see a row twice. */
async function replaceMerged(
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
  // A power cut must not bring its old name back: a resume would move it over files that were written since.
  await disk().syncFolder(partialFiles);
}

/** Complete merged files that are not moved yet. */
async function pendingMerges({ partialFiles }: BatchFolders): Promise<readonly BatchFile[]> {
  const names = await readdir(partialFiles).catch(() => []);
  // Files of single groups in this folder are not committed yet.
  return filesIn(partialFiles, names).filter(({ first, last }) => last > first);
}

function filesIn(folder: string, names: readonly string[]): BatchFile[] {
  return names.flatMap((name) => {
    const span = spanOf(name);
    return span ? [{ ...span, path: join(folder, name) }] : [];
  });
}
