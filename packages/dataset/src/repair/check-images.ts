import { join } from 'node:path';
import { stat } from 'node:fs/promises';
import zlib from 'node:zlib';
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

async function isIntact(
  folder: string,
  { path, bytes, crc32 }: ImageSum,
  { signal, isSizeOnly = false }: Omit<ImageCheck, 'groups'>,
): Promise<boolean> {
  const file = join(folder, path);
  // An image that cannot be read is as good as missing.
  const facts = await stat(file).catch(() => undefined);
  if (!facts?.isFile() || facts.size !== bytes) return false;
  if (isSizeOnly) return true;
  let sum = 0;
  await readPieces(file, (piece) => (sum = zlib.crc32(piece, sum)), { signal });
  return sum === crc32;
}
