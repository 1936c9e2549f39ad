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
import { DataDesignerError, fileReason, systemCode } from '@data-designer/core';

/** Creates a folder that only the user can access, unless it exists; throws `dataset/unwritable`. */
export function makePrivateFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    throw storageFailure(path, thrown);
  }
}

/** How to write a file. */
interface WriteFileOptions {
  /** Whether to replace an existing file. */
  readonly overwrite: boolean;
  /** Whether only the user can read it. */
  readonly isPrivate?: boolean;
}

/** Writes a file completely or not at all, and returns whether it did. Throws `dataset/unwritable`. */
export function writeFile(path: string, text: string, { overwrite, isPrivate = false }: WriteFileOptions): boolean {
  const temporary = `${path}.tmp-${randomUUID()}`;
  try {
    writeSynced(temporary, text, isPrivate ? 0o600 : undefined);
    if (overwrite) renameSync(temporary, path);
    const written = overwrite || nameFile(temporary, path);
    rmSync(temporary, { force: true });
    return written;
  } catch (thrown) {
    remove(temporary);
    throw storageFailure(path, thrown);
  }
}

function writeSynced(path: string, text: string, mode?: number): void {
  const file = openSync(path, 'wx', mode);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function storageFailure(path: string, thrown: unknown): DataDesignerError {
  return new DataDesignerError('dataset/unwritable', { path, reason: fileReason(thrown, 'folder') }, { cause: thrown });
}

/** Deletes a file; throws `dataset/unwritable`. */
export function deleteFile(path: string): void {
  try {
    rmSync(path);
  } catch (thrown) {
    throw storageFailure(path, thrown);
  }
}

/** Removes a file if possible; the first failure is the one to report. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // As above.
  }
}

/** Codes of file systems without hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Gives a file its name unless it is taken: a link never replaces a file, unlike a rename. */
function nameFile(temporary: string, path: string): boolean {
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
