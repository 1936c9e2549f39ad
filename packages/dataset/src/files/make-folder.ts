import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '@data-designer/core';
import { files } from './files.ts';
import { orStorageFailure } from './storage-failure.ts';

/**
 * Creates a folder and its parents (0700) if they do not exist; their names survive a power cut when this resolves. A folder
 * `within` another one is not made where that is gone. Node's recursive `mkdir` never returns below folders that refuse new
 * entries, such as /proc. Returns the folders that were not there, the innermost first.
 */
export async function makeFolder(
  path: string,
  { within }: { readonly within?: string } = {},
): Promise<readonly string[]> {
  const parent = dirname(path);
  const made: string[] = [];
  try {
    if (await makeOne(path)) made.push(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || parent === path || parent === within) throw error;
    const parents = await makeFolder(parent, within === undefined ? {} : { within });
    made.push(...((await makeOne(path)) ? [path] : []), ...parents);
  }
  await files().syncFolder(parent);
  return made;
}

/** Creates a folder whose parent exists; returns whether it was not there. */
async function makeOne(path: string): Promise<boolean> {
  try {
    await files().mkdir(path);
    return true;
  } catch (error) {
    const exists = systemCode(error) === 'EEXIST' && (await stat(path)).isDirectory();
    if (!exists) throw error;
    return false;
  }
}

/** Removes folders that were made for nothing, the innermost first, up to one that has something in it. */
export async function removeEmptyFolders(made: readonly string[]): Promise<void> {
  for (const path of made) await removeIfEmpty(path);
}

/** Removes a folder if it is there and has nothing in it. */
export async function removeIfEmpty(path: string): Promise<void> {
  try {
    await files().rmdir(path);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(systemCode(error))) throw error;
  }
}

/** Removes a folder with everything in it; throws `dataset/unwritable`. */
export async function removeFolder(path: string): Promise<void> {
  await orStorageFailure(path, () => files().removeTree(path));
}
