import { stat } from 'node:fs/promises';
import type { BatchFile } from '../read/batch-files.ts';
import { type ByteRange, type Checksums, type FileSum, type GroupBytes, groupsAsOne, sumFile } from './checksums.ts';
import { changedFile, damagedFile, orDamaged } from './damaged-file.ts';
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
  const read = path.endsWith('.arrow') ? await tryArrow(file) : await tryParquet(file);
  const { size } = await stat(path);
  const sums = await sumFile(
    path,
    read.map(({ group }) => group),
  );
  const groups = read.map(({ group }, index) => ({ ...group, crc32: sums.inside[index] as number }));
  const damaged = new Set(groups.filter((_, index) => read[index]?.failure !== undefined));
  const [first] = read.flatMap(({ failure }) => failure ?? []);
  const reason = first === undefined ? undefined : damagedFile(path, first);
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  const sum = reason === undefined ? { bytes: size, rows, crc32: sums.outside, groups } : undefined;
  return { ...file, groups, damaged, reason, sum };
}

/** Row groups of a dataset and why they cannot be read, where they cannot. */
interface TriedGroup {
  readonly group: Omit<GroupBytes, 'crc32'>;
  readonly failure: unknown;
}

async function tryParquet(file: BatchFile): Promise<readonly TriedGroup[]> {
  const { tryRowGroups } = await import('../read/read-rows.ts');
  const { endOf, groupsOf, startOf } = await import('../formats/parquet/merge-parquet.ts');
  const read = await tryRowGroups(file.path);
  const rowGroups = read.map(({ rowGroup }) => rowGroup);
  const groups = groupsOf(rowGroups, file, { from: startOf(rowGroups), to: endOf(rowGroups) });
  return paired(groups, read);
}

async function tryArrow(file: BatchFile): Promise<readonly TriedGroup[]> {
  const { tryBatches } = await import('../formats/arrow/read-arrow.ts');
  const { groupsOf } = await import('../formats/arrow/merge-arrow.ts');
  const read = await tryBatches(file.path);
  const groups = groupsOf(
    read.map(({ block }) => block),
    file,
  );
  const rows = (range: ByteRange) =>
    read.reduce((sum, one) => sum + (one.block.from >= range.from && one.block.from < range.to ? one.rows : 0), 0);
  return paired(
    groups.map((group) => ({ ...group, rows: rows(group) })),
    read,
  );
}

/** Each row group with its own failure; where they cannot be told apart, all have that of any. */
function paired(
  groups: readonly Omit<GroupBytes, 'crc32'>[],
  read: readonly { readonly failure: unknown }[],
): readonly TriedGroup[] {
  const any = read.find(({ failure }) => failure !== undefined)?.failure;
  return groups.map((group, index) => ({
    group,
    failure: groups.length === read.length ? read[index]?.failure : any,
  }));
}
