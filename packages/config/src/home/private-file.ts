import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { systemCode } from '@data-designer/core';
import { storageFailure, writeSynced } from '../write-synced.ts';

/** Makes a folder for the user alone, unless it is there; throws `dataset/unwritable`. */
export function makePrivateFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    throw storageFailure(path, thrown);
  }
}

/**
 * Writes a file for the user alone, in full or not at all, and says whether it did: a file that is there is replaced only
 * with `overwrite`. Throws `dataset/unwritable`.
 */
export function writePrivateFile(path: string, text: string, overwrite: boolean): boolean {
  const temporary = `${path}.tmp-${randomUUID()}`;
  try {
    writeSynced(temporary, text, 0o600);
    if (overwrite) renameSync(temporary, path);
    const written = overwrite || place(temporary, path);
    rmSync(temporary, { force: true });
    return written;
  } catch (thrown) {
    remove(temporary);
    throw storageFailure(path, thrown);
  }
}

/** Where a file could not be made it cannot be removed either; the first failure is the one to tell. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // As above.
  }
}

/** File systems without hard links say one of these. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Gives a file its name unless something has it: a link, unlike a rename, never replaces. */
function place(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.includes(code)) throw thrown;
  }
  if (existsSync(path)) return false;
  renameSync(temporary, path);
  return true;
}
