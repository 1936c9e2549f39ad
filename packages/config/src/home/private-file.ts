import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { DataDesignerError } from '@data-designer/core';

/** Makes a folder for the user alone, unless it is there; throws `dataset/unwritable`. */
export function makePrivateFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    throw unwritable(path, thrown);
  }
}

/**
 * Writes a file for the user alone, in full or not at all, and says whether it did: a file that is there is replaced only
 * with `overwrite`. Throws `dataset/unwritable`.
 */
export function writePrivateFile(path: string, text: string, overwrite: boolean): boolean {
  const temporary = `${path}.tmp-${randomUUID()}`;
  try {
    writeSynced(temporary, text);
    if (overwrite) renameSync(temporary, path);
    const written = overwrite || place(temporary, path);
    rmSync(temporary, { force: true });
    return written;
  } catch (thrown) {
    remove(temporary);
    throw unwritable(path, thrown);
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
    const { code = '' } = thrown as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.includes(code)) throw thrown;
  }
  if (existsSync(path)) return false;
  renameSync(temporary, path);
  return true;
}

function writeSynced(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'its rights forbid it',
  EPERM: 'its rights forbid it',
  EROFS: 'the disk can only be read',
  EISDIR: 'it is a folder',
  EEXIST: 'a part of the path is a file, not a folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
};

function unwritable(path: string, thrown: unknown): DataDesignerError {
  const { code = '', message } = thrown as NodeJS.ErrnoException;
  return new DataDesignerError('dataset/unwritable', { path, reason: REASONS[code] ?? message }, { cause: thrown });
}
