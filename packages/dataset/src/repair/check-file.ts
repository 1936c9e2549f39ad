import { stat } from 'node:fs/promises';
import type { BatchFile } from '../read/batch-files.ts';
import { type Checksums, type FileSum, type GroupBytes, groupsAsOne, sumFile } from './checksums.ts';
import { changedFile, damagedFile, orDamaged } from './damaged-file.ts';
import { readerOf } from '../read/file-rows.ts';
import { isFromFileSystem } from '../files/storage-failure.ts';

/** A file of a dataset whose content was read. */
export interface CheckedBatch extends BatchFile {
  /** Its row groups where they stand; one without bytes of its own where they cannot be told apart. */
  readonly groups: readonly GroupBytes[];
  /** Those of them that cannot be read. */
  readonly damaged: ReadonlySet<GroupBytes>;
  /** Why: `dataset/damaged`; undefined where nothing is damaged. */
  readonly reason: unknown;
  /** The checksum that the file agrees with, or one that was made of it as it had none. */
  readonly sum: FileSum | undefined;
}

/** Reads a file of a dataset once and compares it with its checksum; a file without one has all its rows decoded. */
export async function checkFile(file: BatchFile, checksums: Checksums, signal?: AbortSignal): Promise<CheckedBatch> {
  const { path } = file;
  try {
    const checked = await orDamaged(path, () => checksums.check(path, signal));
    if (!checked) return await decodeFile(file);
    const { sum, damage } = checked;
    const whole = wholeOf(file, sum);
    const groups = sum.groups ?? [whole];
    if (!damage) return { ...file, groups, damaged: new Set(), reason: undefined, sum };
    const reason = changedFile(path);
    const damaged = new Set(damage.outside ? groups : damage.groups);
    return { ...file, groups, damaged, reason, sum };
  } catch (thrown) {
    signal?.throwIfAborted();
    if (thrown instanceof Error && isFromFileSystem(thrown.cause)) throw thrown;
    return lost(file, thrown);
  }
}

/** A file of which nothing can be read. */
function lost(file: BatchFile, reason: unknown): CheckedBatch {
  const whole = wholeOf(file, { rows: 0, bytes: 0, crc32: 0 });
  return { ...file, groups: [whole], damaged: new Set([whole]), reason, sum: undefined };
}

/** All row groups of a file as one. */
function wholeOf(file: BatchFile, { bytes, rows, crc32 }: FileSum): GroupBytes {
  return { ...groupsAsOne(file), from: 0, to: bytes, rows, crc32 };
}

/** Decodes all rows of a file that has no checksum, and makes one of it. */
async function decodeFile(file: BatchFile): Promise<CheckedBatch> {
  const { path } = file;
  const { groups: placed, failures } = await (await readerOf(path)).checkGroups(path, file);
  const any = failures.find((failure) => failure !== undefined);
  const { size } = await stat(path);
  const sums = await sumFile(path, placed);
  const groups = placed.map((group, index) => ({ ...group, crc32: sums.inside[index] ?? 0 }));
  // Row groups that cannot be told apart are all damaged if one is.
  const isDamaged = (index: number) => (placed.length === failures.length ? failures[index] : any) !== undefined;
  const damaged = new Set(groups.filter((_, index) => isDamaged(index)));
  const reason = damaged.size > 0 ? damagedFile(path, any) : undefined;
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  const sum = reason === undefined ? { bytes: size, rows, crc32: sums.outside, groups } : undefined;
  return { ...file, groups, damaged, reason, sum };
}
