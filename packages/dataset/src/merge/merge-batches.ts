import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type BatchFile, batchFiles, type BatchFolders, finishMerges, mergedName } from '../read/batch-files.ts';
import { ChecksumLog, type Checksums, type FileSum, sumFile, type SummedFile } from '../repair/checksums.ts';
import { commit, discard, stage } from '../files/commit-file.ts';
import { changedFile } from '../repair/damaged-file.ts';
import type { DatasetPaths } from '../dataset-paths.ts';
import type { FindGroups, MergeSource } from '../formats/dataset-format.ts';
import { type BatchFormat, storageOf } from '../formats/formats.ts';
import { sideFiles, sideFolders, type SideTable } from '../side-tables.ts';

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
export async function mergeBatches(paths: DatasetPaths, options: MergeOptions): Promise<number> {
  const { format, targetBytes = TARGET_BYTES } = options;
  const log = new ChecksumLog(paths);
  await finishMerges(paths);
  const checksums = await log.read();
  const files = await Promise.all(
    (await batchFiles(paths)).map(async (file) => ({ ...file, bytes: (await stat(file.path)).size })),
  );
  let gone = 0;
  for (const part of partsToMerge(files, targetBytes)) {
    if (!(await mergePart(part, { folders: paths, format, log, checksums }))) continue;
    await finishMerges(paths);
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

/** Forgets the checksums of files that are gone; for who holds the folder's lock. */
export async function settleChecksums(paths: DatasetPaths, tables: readonly SideTable[]): Promise<void> {
  const log = new ChecksumLog(paths);
  const checksums = await log.read();
  const beside = await Promise.all(tables.map((table) => sideFiles(paths, table)));
  const files = [...(await batchFiles(paths)), ...beside.flat()];
  const sums = new Map<string, FileSum>();
  for (const { path } of files) {
    const sum = await checksums.of(path);
    if (sum) sums.set(path, sum);
  }
  await log.keepOnly(sums);
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

/** Where files are merged, and the checksums of the dataset. */
interface MergeParts {
  readonly folders: BatchFolders;
  readonly format: BatchFormat;
  readonly log: ChecksumLog;
  readonly checksums: Checksums;
}

/** Writes one file beside those it is made of; from its commit it stands for them. */
async function mergePart(part: readonly BatchFile[], parts: MergeParts): Promise<boolean> {
  const { folders, format, log, checksums } = parts;
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

/**
 * Writes the content of files as one under a temporary name, with its checksum; undefined where they cannot be one. A file
 * that does not agree with its own checksum is `dataset/damaged`.
 */
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

/** The checksum of a merged file; the pages that were copied into it must be what they were. */
async function sumOfMerged(path: string, findGroups: FindGroups): Promise<FileSum> {
  const placed = await findGroups(path);
  const sums = await sumFile(path, placed);
  const groups = placed.map((group, index) => ({ ...group, crc32: sums.inside[index] as number }));
  const changed = placed.some((group, index) => group.crc32 !== undefined && group.crc32 !== groups[index]?.crc32);
  if (changed) throw changedFile(path);
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  return { bytes: sums.bytes, rows, crc32: sums.outside, groups };
}
