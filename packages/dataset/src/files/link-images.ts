import { dirname, join } from 'node:path';
import { type CellValue, isList, type Row, systemCode } from '@data-designer/core';
import { files } from './files.ts';
import { makeFolder } from './make-folder.ts';
import { orStorageFailure } from './storage-failure.ts';

/** The path of an image in a cell, relative to its dataset's folder. */
const IMAGE_PATH = /^images\/[^/\\]+\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.[a-z\d]{1,8}$/;

/** Gives a dataset's folder the images that its rows show, from the folder that they were made in, as hard links. */
export async function linkImages(rows: readonly Row[], from: string, to: string): Promise<void> {
  for (const path of new Set(rows.flatMap((row) => Object.values(row).flatMap(imagesIn)))) {
    const target = join(to, path);
    await orStorageFailure(target, async () => {
      await makeFolder(dirname(target));
      await files()
        .link(join(from, path), target)
        .catch((thrown: unknown) => {
          // An earlier run has linked it.
          if (systemCode(thrown) !== 'EEXIST') throw thrown;
        });
    });
  }
}

function imagesIn(cell: CellValue): readonly string[] {
  if (typeof cell === 'string') return IMAGE_PATH.test(cell) ? [cell] : [];
  return isList(cell) ? cell.flatMap(imagesIn) : [];
}
