import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CellValue, Float, isList, type Row, systemCode } from '@data-designer/core';
import { files } from '../files/files.ts';
import { linkOrCopy } from '../files/link-or-copy.ts';
import { makeFolder } from '../files/make-folder.ts';
import { orStorageFailure } from '../files/storage-failure.ts';
import type { ImageSum } from '../logs/checksums.ts';
import { crcOf, isIntact, lostFile, sizeOf } from './check-images.ts';

/** The path of an image in a cell, relative to its dataset's folder. */
const IMAGE_PATH = /^images\/[^/\\]+\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.[a-z\d]{1,8}$/;

/** The paths of the images that rows show, relative to their dataset's folder. */
export function imagesOf(rows: readonly Row[]): ReadonlySet<string> {
  return new Set(rows.flatMap((row) => Object.values(row).flatMap(imagesIn)));
}

/** Gives a dataset's folder the images that its rows show, from the folder that they were made in, as hard links or copies. */
export async function linkImages(paths: Iterable<string>, from: string, to: string): Promise<void> {
  for (const path of paths) {
    const [source, target] = [join(from, path), join(to, path)];
    await orStorageFailure(target, async () => {
      await makeFolder(dirname(target));
      await linkOrCopy(source, target).catch((thrown: unknown) => {
        if (systemCode(thrown) === 'EEXIST') return replaceOther(source, target);
        // Someone deleted it, or the text only looks like its path.
        if (systemCode(thrown) !== 'ENOENT') throw thrown;
      });
    });
  }
}

/** Links an image again where another file has its name; the link of an earlier run stays. */
async function replaceOther(from: string, to: string): Promise<void> {
  const [source, target] = await Promise.all([from, to].map((path) => stat(path).catch(() => undefined)));
  if (!source || (source.ino === target?.ino && source.dev === target.dev)) return;
  await files().removeTree(to);
  await linkOrCopy(from, to);
}

function imagesIn(cell: CellValue): readonly string[] {
  if (typeof cell === 'string') return IMAGE_PATH.test(cell) ? [cell] : [];
  if (typeof cell !== 'object' || cell === null || cell instanceof Float) return [];
  return (isList(cell) ? cell : Object.values(cell)).flatMap(imagesIn);
}

/**
 * The checksums of images in a folder, of which some are known; those that are not there and unknown are left out. Throws
 * `dataset/damaged` for one that differs from what is known of it.
 */
export async function sumImages(
  folder: string,
  paths: Iterable<string>,
  known: ReadonlyMap<string, ImageSum>,
): Promise<readonly ImageSum[]> {
  const sums: ImageSum[] = [];
  for (const path of paths) {
    const file = join(folder, path);
    const before = known.get(path);
    if (before && !(await isIntact(folder, before, {}))) throw lostFile(file, 'it is missing or damaged');
    const bytes = before?.bytes ?? (await sizeOf(file));
    if (bytes !== undefined) sums.push(before ?? { path, bytes, crc32: await crcOf(file) });
  }
  return sums;
}
