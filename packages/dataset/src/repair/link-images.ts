import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CellValue, Float, isList, type Row, systemCode } from '@data-designer/core';
import { writeDurably } from './commit-file.ts';
import { files } from './files.ts';
import { makeFolder } from './make-folder.ts';
import { orStorageFailure } from './storage-failure.ts';

/** The path of an image in a cell, relative to its dataset's folder. */
const IMAGE_PATH = /^images\/[^/\\]+\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.[a-z\d]{1,8}$/;

/** Why a file cannot have a second name: the folders are on different file systems, or theirs has no hard links. */
const NO_HARD_LINK = new Set(['EXDEV', 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/** Gives a dataset's folder the images that its rows show, from the folder that they were made in, as hard links or copies. */
export async function linkImages(rows: readonly Row[], from: string, to: string): Promise<void> {
  for (const path of new Set(rows.flatMap((row) => Object.values(row).flatMap(imagesIn)))) {
    const target = join(to, path);
    await orStorageFailure(target, async () => {
      await makeFolder(dirname(target));
      // An earlier run has linked it, or it is not there: someone deleted it, or the text only looks like its path.
      await linkOrCopy(join(from, path), target).catch((thrown: unknown) => {
        if (!['EEXIST', 'ENOENT'].includes(systemCode(thrown))) throw thrown;
      });
    });
  }
}

/** Gives a file a second name, or copies it where that is not possible. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  await files()
    .link(from, to)
    .catch(async (thrown: unknown) => {
      if (!NO_HARD_LINK.has(systemCode(thrown))) throw thrown;
      await writeDurably(to, await readFile(from));
    });
}

function imagesIn(cell: CellValue): readonly string[] {
  if (typeof cell === 'string') return IMAGE_PATH.test(cell) ? [cell] : [];
  if (typeof cell !== 'object' || cell === null || cell instanceof Float) return [];
  return (isList(cell) ? cell : Object.values(cell)).flatMap(imagesIn);
}
