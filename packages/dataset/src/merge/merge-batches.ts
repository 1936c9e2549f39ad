import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type BatchFile, batchFiles, type BatchFolders, finishMerges, mergedName } from '../formats/batch-files.ts';
import { ChecksumLog, type Checksums } from '../logs/checksums.ts';
import { type FileSum, sumFile, type SummedFile } from '../files/file-sum.ts';
import { commit, discard, stage } from '../files/commit-file.ts';
import { changedFile } from '../files/damaged-file.ts';
import type { DatasetPaths } from '../dataset-paths.ts';
import type { FindGroups, MergeSource } from '../formats/dataset-format.ts';
import { type BatchFormat, storageOf } from '../formats/formats.ts';
import { sideFiles, sideFolders, type SideTable } from '../side-tables.ts';

/** The default size of merged files. */
const TARGET_BYTES = 256 * 1024 * 1024;
/** The most row groups per file: readers hold the metadata of each in memory. */
const MAX_GROUPS = 2000;

/** Options of a merge. */
export interface MergeOptions {
  readonly format: BatchFormat;
  /** The approximate size of merged files; 256 MB unless given. */
  readonly targetBytes?: number;
  /** Only files of earlier row groups are merged; all files unless given. */
  readonly before?: number;
}

interface SizedFile extends BatchFile {
  readonly bytes: number;
}

/**
 * Merges small files with consecutive row groups into larger ones; the caller holds the folder's lock. Returns the number of
 * files that disappeared. A crash neither loses nor duplicates rows: a merged file counts once it has its final name, and
 * `finishMerges` completes the rest.
 */
export async function mergeBatches(paths: DatasetPaths, options: MergeOptions): Promise<number> {
  const { format, targetBytes = TARGET_BYTES, before = Infinity } = options;
  const log = new ChecksumLog(paths);
  await finishMerges(paths);
  const checksums = await log.read();
  const early = (await batchFiles(paths)).filter(({ last }) => last < before);
  const files = await Promise.all(early.map(async (file) => ({ ...file, bytes: (await stat(file.path)).size })));
  let removed = 0;
  for (const part of partsToMerge(files, targetBytes)) {
    if (!(await mergePart(part, { folders: paths, format, log, checksums }))) continue;
    await finishMerges(paths);
    removed += part.length - 1;
  }
  return removed;
}

/** Merges a side table like the main table, so that files of the same name hold the same rows; needs the folder's lock. */
export async function mergeSideFiles(
  paths: DatasetPaths,
  table: Pick<SideTable, 'processor'>,
  format: BatchFormat,
): Promise<void> {
  const folders = sideFolders(paths, table);
  const log = new ChecksumLog(paths);
  await finishMerges(folders);
  const checksums = await log.read();
  const files = await sideFiles(paths, table);
  for (const { first, last } of await batchFiles(paths)) {
    const part = files.filter((file) => file.first >= first && file.last <= last);
    const isWhole = part.at(0)?.first === first && part.at(-1)?.last === last;
    if (part.length > 1 && isWhole && (await mergePart(part, { folders, format, log, checksums })))
      await finishMerges(folders);
  }
}

/** Removes the checksums of files that no longer exist; the caller holds the folder's lock. */
export async function settleChecksums(paths: DatasetPaths, tables: readonly SideTable[]): Promise<void> {
  const log = new ChecksumLog(paths);
  const checksums = await log.read();
  const side = await Promise.all(tables.map((table) => sideFiles(paths, table)));
  const files = [...(await batchFiles(paths)), ...side.flat()];
  const sums = new Map<string, FileSum>();
  for (const { path } of files) {
    const sum = await checksums.of(path);
    if (sum) sums.set(path, sum);
  }
  await log.keepOnly(sums);
}

/** Groups of files to merge: consecutive, none of them large already, together at most the target size. */
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
      file.last - (part[0]?.first ?? 0) < MAX_GROUPS;
    bytes = joins ? bytes + file.bytes : file.bytes;
    if (joins) part.push(file);
    else parts.push([file]);
  }
  return parts.filter(({ length }) => length > 1);
}

/** The folders of a merge, and the checksums of the dataset. */
interface MergeContext {
  readonly folders: BatchFolders;
  readonly format: BatchFormat;
  readonly log: ChecksumLog;
  readonly checksums: Checksums;
}

/** Writes the merged file, which replaces its sources from its commit on; returns false if they cannot be merged. */
async function mergePart(part: readonly BatchFile[], context: MergeContext): Promise<boolean> {
  const { folders, format, log, checksums } = context;
  const span = { first: part[0]?.first ?? 0, last: part.at(-1)?.last ?? 0 };
  const name = mergedName(span, format);
  const sources = await Promise.all(
    part.map(async ({ path, first, last }) => ({ path, span: { first, last }, sum: await checksums.of(path) })),
  );
  const merged = await stageMerged(join(folders.partialFiles, name), sources, format);
  if (!merged) return false;
  await log.add([{ path: join(folders.parquetFiles, name), sum: merged.sum }]);
  await commit(merged);
  return true;
}

/** Stages a file with the content of others, and its checksum; undefined if schemas differ. Throws `dataset/damaged`. */
export async function stageMerged(
  path: string,
  sources: readonly MergeSource[],
  format: BatchFormat,
): Promise<SummedFile | undefined> {
  const merge = await storageOf(format).loadMerge();
  let findGroups: FindGroups | undefined;
  const staged = await stage(path, async (append) => {
    findGroups = await merge(sources, append);
  });
  if (findGroups) {
    const isProcessed = sources.some(({ sum }) => sum?.processed);
    const sum = await sumOfMerged(staged.temporary, findGroups);
    return { ...staged, sum: isProcessed ? { ...sum, processed: true } : sum };
  }
  await discard(staged);
  return undefined;
}

/** The checksum of a merged file; throws `dataset/damaged` if a copied page differs from its source. */
async function sumOfMerged(path: string, findGroups: FindGroups): Promise<FileSum> {
  const located = await findGroups(path);
  const sums = await sumFile(path, located);
  const groups = located.map((group, index) => ({ ...group, crc32: sums.inside[index] ?? 0 }));
  const changed = located.some((group, index) => group.crc32 !== undefined && group.crc32 !== groups[index]?.crc32);
  if (changed) throw changedFile(path);
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  return { bytes: sums.bytes, rows, crc32: sums.outside, groups };
}
