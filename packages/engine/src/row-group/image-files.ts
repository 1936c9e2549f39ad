import { join } from 'node:path';
import { drawUuid, type Picture, type Random } from '@data-designer/core';
import zlib from 'node:zlib';
import { type ImageSum, makeFolder, writeDurably } from '@data-designer/dataset';
import { storageFailure } from '@data-designer/dataset/journal';

/** The folder and column of an image, and the randomness that names its file. */
export interface ImageTarget {
  readonly folder: string;
  readonly column: string;
  readonly random: Random;
}

/** File endings by media type, where the subtype is not one. */
const ENDINGS: Readonly<Record<string, string>> = { 'image/jpeg': 'jpg', 'image/svg+xml': 'svg' };

/**
 * Writes an image atomically to `images/<column>/<name>.<ending>` in the dataset's folder and returns that relative
 * path, with `/` between its parts, and its checksum. Throws `dataset/disk-full` or `dataset/unwritable`.
 */
export async function writeImage(picture: Picture, { folder, column, random }: ImageTarget): Promise<ImageSum> {
  const file = `${drawUuid(random)}.${endingOf(picture.mediaType)}`;
  const parts = ['images', folderOf(column)];
  const home = join(folder, ...parts);
  try {
    // A dataset's folder that was removed during the run is not made again.
    await makeFolder(home, { within: folder });
  } catch (error) {
    throw storageFailure(error, home);
  }
  const bytes = Buffer.from(picture.base64, 'base64');
  await writeDurably(join(home, file), bytes);
  return { path: [...parts, file].join('/'), bytes: bytes.length, crc32: zlib.crc32(bytes) };
}

/** A column's name made safe as a folder name. */
function folderOf(column: string): string {
  const safe = column.replaceAll(/[/\\<>:"|?*\p{Cc}]/gu, '_').replaceAll('..', '_');
  return safe === '.' || safe === '' ? '_' : safe.slice(0, LONGEST_NAME);
}

/** In characters: file systems accept at least 255 bytes, and a character takes up to three. */
const LONGEST_NAME = 80;

function endingOf(mediaType: string): string {
  const ending = ENDINGS[mediaType] ?? mediaType.slice(mediaType.indexOf('/') + 1);
  return /^[a-z\d]{1,8}$/.test(ending) ? ending : 'bin';
}
