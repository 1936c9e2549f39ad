import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type BatchFile, batchFiles, type BatchFolders, finishMerges, mergedName } from './batch-files.ts';
import { commit, discard, stage } from './commit-file.ts';
import type { BatchFormat, DatasetPaths } from './dataset-paths.ts';
import { sideFiles, sideFolders, type SideTable } from './side-tables.ts';

/** How large merged files become. */
const TARGET_BYTES = 256 * 1024 * 1024;
/** Row groups that one file has at most: readers hold what is known of each. */
const MOST_GROUPS = 2000;

/** How files are merged. */
export interface MergeOptions {
  readonly format: BatchFormat;
  /** How large merged files become, about; 256 MB unless given. */
  readonly targetBytes?: number;
}

interface SizedFile extends BatchFile {
  readonly bytes: number;
}

/**
 * Merges small files of a dataset whose groups follow one another into larger ones; for who holds the folder's lock.
 * Gives how many files are gone for it. A crash at any moment loses nothing and doubles nothing: a merged file counts
 * once it is whole and has its name, and `finishMerges` brings the rest to its end.
 */
export async function mergeBatches(folders: BatchFolders, options: MergeOptions): Promise<number> {
  const { format, targetBytes = TARGET_BYTES } = options;
  await finishMerges(folders);
  const files = await Promise.all(
    (await batchFiles(folders)).map(async (file) => ({ ...file, bytes: (await stat(file.path)).size })),
  );
  let gone = 0;
  for (const part of partsToMerge(files, targetBytes)) {
    if (!(await mergePart(part, folders, format))) continue;
    await finishMerges(folders);
    gone += part.length - 1;
  }
  return gone;
}

/**
 * Merges the files of a table beside the main one as those of the main one are merged, so that files of one name hold the
 * same rows; for who holds the folder's lock.
 */
export async function mergeSideFiles(
  paths: DatasetPaths,
  table: Pick<SideTable, 'processor'>,
  format: BatchFormat,
): Promise<void> {
  const folders = sideFolders(paths, table);
  await finishMerges(folders);
  const files = await sideFiles(paths, table);
  for (const { first, last } of await batchFiles(paths)) {
    const part = files.filter((file) => file.first >= first && file.last <= last);
    const isWhole = part.at(0)?.first === first && part.at(-1)?.last === last;
    if (part.length > 1 && isWhole && (await mergePart(part, folders, format))) await finishMerges(folders);
  }
}

/** Files that become one: neighbours, none of them large already, together no more than wanted. */
export function partsToMerge(files: readonly SizedFile[], targetBytes: number): readonly (readonly SizedFile[])[] {
  const parts: SizedFile[][] = [];
  let bytes = 0;
  for (const file of files) {
    const part = parts.at(-1);
    const before = part?.at(-1);
    const joins =
      part !== undefined &&
      before?.last === file.first - 1 &&
      bytes + file.bytes <= targetBytes &&
      file.bytes < targetBytes / 2 &&
      file.last - (part[0]?.first ?? 0) < MOST_GROUPS;
    bytes = joins ? bytes + file.bytes : file.bytes;
    if (joins) part.push(file);
    else parts.push([file]);
  }
  return parts.filter(({ length }) => length > 1);
}

/** Writes one file beside those it is made of; from its commit it stands for them. */
async function mergePart(
  part: readonly BatchFile[],
  { partialFiles }: BatchFolders,
  format: BatchFormat,
): Promise<boolean> {
  const span = { first: part[0]?.first ?? 0, last: part.at(-1)?.last ?? 0 };
  const path = join(partialFiles, mergedName(span, format));
  const merge = format === 'arrow' ? await arrowMerge() : await parquetMerge();
  const paths = part.map((file) => file.path);
  let isMerged = false;
  const staged = await stage(path, async (append) => {
    isMerged = await merge(paths, append);
  });
  await (isMerged ? commit : discard)(staged);
  return isMerged;
}

async function parquetMerge() {
  return (await import('./merge-parquet.ts')).mergeParquet;
}

async function arrowMerge() {
  return (await import('./merge-arrow.ts')).mergeArrow;
}
