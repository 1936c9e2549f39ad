import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { files } from './files.ts';

/**
 * Makes a folder with its parents (0700) where it is not there; its name survives a power cut once this ends. Node's own
 * way never ends where a folder is there and takes no other, as in /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await makeOne(path);
  }
  await files().syncFolder(dirname(path));
}

async function makeOne(path: string): Promise<void> {
  try {
    await files().mkdir(path);
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST' && (await stat(path)).isDirectory();
    if (!isThere) throw error;
  }
}
