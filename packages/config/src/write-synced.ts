import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { DataDesignerError } from '@data-designer/core';

/** Writes a new file, fsynced, for everybody to read unless `mode` says otherwise. */
export function writeSynced(path: string, text: string, mode?: number): void {
  const file = openSync(path, 'wx', mode);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  EACCES: 'its rights forbid it',
  EPERM: 'its rights forbid it',
  EROFS: 'the disk can only be read',
  EISDIR: 'it is a folder',
  EEXIST: 'a part of the path is a file, not a folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
};

/** Why a file could not be written: `dataset/unwritable`. */
export function storageFailure(path: string, thrown: unknown): DataDesignerError {
  const { code = '', message } = thrown as NodeJS.ErrnoException;
  return new DataDesignerError('dataset/unwritable', { path, reason: REASONS[code] ?? message }, { cause: thrown });
}
