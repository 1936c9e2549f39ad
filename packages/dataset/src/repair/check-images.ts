import { join } from 'node:path';
import { stat } from 'node:fs/promises';
import zlib from 'node:zlib';
import { DataDesignerError } from '@data-designer/core';
import type { Checksums, ImageSum } from '../logs/checksums.ts';
import { readPieces } from '../files/file-sum.ts';

/** How images are checked. */
interface ImageCheck {
  readonly groups: ReadonlySet<number>;
  readonly signal?: AbortSignal;
  /** Whether only their sizes are compared; default false. */
  readonly isSizeOnly?: boolean;
}

/** The images of row groups that are missing or differ from their checksums, relative to the dataset's folder. */
export async function checkImages(
  folder: string,
  { images }: Pick<Checksums, 'images'>,
  { groups, ...how }: ImageCheck,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const lost = new Map<number, readonly string[]>();
  for (const [group, shown] of images) {
    if (!groups.has(group)) continue;
    const damaged: string[] = [];
    for (const image of shown) if (!(await isIntact(folder, image, how))) damaged.push(image.path);
    if (damaged.length > 0) lost.set(group, damaged);
  }
  return lost;
}

/** Whether an image has its checksum, or its size. */
export async function isIntact(
  folder: string,
  { path, bytes, crc32 }: ImageSum,
  { signal, isSizeOnly = false }: Omit<ImageCheck, 'groups'>,
): Promise<boolean> {
  const file = join(folder, path);
  const size = await sizeOf(file);
  if (size !== bytes) return false;
  return isSizeOnly || (await crcOf(file, signal)) === crc32;
}

/** The size of a file; undefined for one that cannot be read, which is as good as missing. */
export async function sizeOf(file: string): Promise<number | undefined> {
  const facts = await stat(file).catch(() => undefined);
  return facts?.isFile() ? facts.size : undefined;
}

/** The CRC-32 of a file. */
export async function crcOf(file: string, signal?: AbortSignal): Promise<number> {
  let sum = 0;
  await readPieces(file, (piece) => (sum = zlib.crc32(piece, sum)), { ...(signal && { signal }) });
  return sum;
}

/** The error for a file that is missing or damaged, and that a resume makes again. */
export function lostFile(path: string, reason: string): DataDesignerError {
  const remedy =
    'Restore it from a copy, or resume the dataset (--resume always), which makes it again or tells the cost.';
  return new DataDesignerError('dataset/damaged', { path, reason, remedy });
}
