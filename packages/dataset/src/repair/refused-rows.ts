import { basename, join } from 'node:path';
import { type BatchFile, batchFiles, type BatchFolders, spanOf } from '../formats/batch-files.ts';
import { type DatasetPaths, nameWithin } from '../dataset-paths.ts';
import type { Checksums } from '../logs/checksums.ts';
import { checkFile } from './check-file.ts';
import { isIntact, sizeOf } from './check-images.ts';

/** A file of refused rows that a dataset lacks, or that shows an image which it lacks. */
export interface LostRefused {
  /** The file of the rows. */
  readonly path: string;
  /** The row group of its candidates. */
  readonly group: number;
  /** What is missing or damaged: the file, or an image. */
  readonly lost: string;
}

/** How refused rows are checked. */
interface RefusedCheck {
  readonly signal?: AbortSignal;
  /** Whether only sizes are compared; default false. */
  readonly isSizeOnly?: boolean;
}

/** The folders of committed and unfinished files of refused rows. */
export function refusedFolders({ refusedFiles, partialFiles }: DatasetPaths): BatchFolders {
  return { parquetFiles: refusedFiles, partialFiles: join(partialFiles, 'rejected') };
}

/** The files of refused rows that are missing or damaged, or whose images are. */
export async function lostRefused(
  paths: DatasetPaths,
  checksums: Checksums,
  how: RefusedCheck,
): Promise<readonly LostRefused[]> {
  const folder = nameWithin(paths.folder, paths.refusedFiles);
  const found = await batchFiles(refusedFolders(paths)).catch(() => []);
  const known = [...checksums.files].filter((name) => name.startsWith(`${folder}/`));
  const files = new Set([...found.map(({ path }) => path), ...known.map((name) => join(paths.folder, name))]);
  const lost: LostRefused[] = [];
  for (const path of files) {
    const name = nameWithin(paths.folder, path);
    const group = spanOf(basename(path))?.first;
    if (group === undefined) continue;
    if (!(await isWhole({ path, first: group, last: group }, checksums, how))) {
      lost.push({ path, group, lost: path });
      continue;
    }
    for (const image of checksums.fileImages.get(name) ?? [])
      if (!(await isIntact(paths.folder, image, how))) lost.push({ path, group, lost: join(paths.folder, image.path) });
  }
  return lost;
}

async function isWhole(file: BatchFile, checksums: Checksums, { signal, isSizeOnly = false }: RefusedCheck) {
  const { path } = file;
  const size = await sizeOf(path);
  if (size === undefined) return false;
  if (isSizeOnly) return !checksums.isKnown(path) || (await checksums.of(path))?.bytes === size;
  return (await checkFile(file, checksums, signal)).damaged.size === 0;
}
