import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { DataDesignerError, fileReason } from '@data-designer/core';

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

/** Why a file could not be written: `dataset/unwritable`. */
export function storageFailure(path: string, thrown: unknown): DataDesignerError {
  return new DataDesignerError('dataset/unwritable', { path, reason: fileReason(thrown, 'folder') }, { cause: thrown });
}
