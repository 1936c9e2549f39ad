import { join } from 'node:path';
import { drawUuid, type Picture, type Random } from '@data-designer/core';
import { makeFolder, writeDurably } from '@data-designer/dataset';
import { storageFailure } from '@data-designer/dataset/journal';

/** Where a picture goes, and the randomness that names it. */
export interface PicturePlace {
  readonly folder: string;
  readonly column: string;
  readonly random: Random;
}

/** File endings by media type, where the second half of that will not do. */
const ENDINGS: Readonly<Record<string, string>> = { 'image/jpeg': 'jpg', 'image/svg+xml': 'svg' };

/**
 * Writes a picture to `images/<column>/<name>.<ending>` of a dataset's folder, there in full or not at all, and gives
 * its path there, with `/` between its parts. Throws `dataset/disk-full` or `dataset/unwritable`.
 */
export async function keepPicture(picture: Picture, { folder, column, random }: PicturePlace): Promise<string> {
  const file = `${drawUuid(random)}.${endingOf(picture.mediaType)}`;
  const parts = ['images', folderOf(column)];
  const home = join(folder, ...parts);
  try {
    await makeFolder(home);
  } catch (error) {
    throw storageFailure(error, home);
  }
  await writeDurably(join(home, file), Buffer.from(picture.base64, 'base64'));
  return [...parts, file].join('/');
}

/** A column's name as that of a folder: within its parent, whatever the column is called. */
function folderOf(column: string): string {
  const safe = column.replaceAll(/[/\\<>:"|?*\p{Cc}]/gu, '_').replaceAll('..', '_');
  return safe === '.' || safe === '' ? '_' : safe.slice(0, LONGEST_NAME);
}

/** File systems take at least 255 bytes, and a character takes up to three. */
const LONGEST_NAME = 80;

function endingOf(mediaType: string): string {
  const ending = ENDINGS[mediaType] ?? mediaType.slice(mediaType.indexOf('/') + 1);
  return /^[a-z\d]{1,8}$/.test(ending) ? ending : 'bin';
}
