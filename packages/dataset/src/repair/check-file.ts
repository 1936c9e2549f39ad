import { stat } from 'node:fs/promises';
import type { BatchFile } from '../formats/batch-files.ts';
import type { Checksums } from '../logs/checksums.ts';
import { type FileSum, type GroupBytes, groupNumbers, sumFile } from '../files/file-sum.ts';
import { changedFile, damagedFile, orDamaged } from '../files/damaged-file.ts';
import { readerOf } from '../read/file-rows.ts';
import { isFromFileSystem } from '../files/storage-failure.ts';

/** A data file after its content was checked. */
export interface CheckedBatch extends BatchFile {
  /** Its row groups; a single entry if their ranges are not known. */
  readonly groups: readonly GroupBytes[];
  /** The unreadable ones. */
  readonly damaged: ReadonlySet<GroupBytes>;
  /** The error: `dataset/damaged`; undefined if nothing is damaged. */
  readonly reason: unknown;
  /** The recorded checksum, or a new one if the file had none. */
  readonly sum: FileSum | undefined;
}

/** Compares a data file with its checksum, or decodes all its rows if it has none. */
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
    return unreadable(file, thrown);
  }
}

/** The check of an unreadable file. */
function unreadable(file: BatchFile, reason: unknown): CheckedBatch {
  const whole = wholeOf(file, { rows: 0, bytes: 0, crc32: 0 });
  return { ...file, groups: [whole], damaged: new Set([whole]), reason, sum: undefined };
}

/** All row groups of a file as one. */
function wholeOf(file: BatchFile, { bytes, rows, crc32 }: FileSum): GroupBytes {
  return { ...groupNumbers(file), from: 0, to: bytes, rows, crc32 };
}

/** Decodes all rows of a file without a checksum, and computes one. */
async function decodeFile(file: BatchFile): Promise<CheckedBatch> {
  const { path } = file;
  const { groups: located, failures } = await (await readerOf(path)).checkGroups(path, file);
  const any = failures.find((failure) => failure !== undefined);
  const { size } = await stat(path);
  const sums = await sumFile(path, located);
  const groups = located.map((group, index) => ({ ...group, crc32: sums.inside[index] ?? 0 }));
  // Row groups without ranges of their own are all damaged if one is.
  const isDamaged = (index: number) => (located.length === failures.length ? failures[index] : any) !== undefined;
  const damaged = new Set(groups.filter((_, index) => isDamaged(index)));
  const reason = damaged.size > 0 ? damagedFile(path, any) : undefined;
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  const sum = reason === undefined ? { bytes: size, rows, crc32: sums.outside, groups } : undefined;
  return { ...file, groups, damaged, reason, sum };
}
