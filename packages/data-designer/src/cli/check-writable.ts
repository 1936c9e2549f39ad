import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DataDesignerError, fileReason } from '@data-designer/core';

/**
 * Throws `dataset/unwritable` for a folder that could not be written to, before anything is paid for; where `isMade`, one
 * that is not there yet is looked for further up.
 */
export async function refuseUnwritable(folder: string, { isMade = false } = {}): Promise<void> {
  const path = resolve(folder);
  try {
    // A file may be written to as well; below it there is nothing.
    await access(`${path}/.`, constants.W_OK);
  } catch (thrown) {
    const { code = '' } = thrown as NodeJS.ErrnoException;
    if (isMade && code === 'ENOENT' && dirname(path) !== path) return refuseUnwritable(dirname(path), { isMade });
    throw new DataDesignerError(
      'dataset/unwritable',
      { path, reason: fileReason(thrown, 'folder') },
      { cause: thrown },
    );
  }
}
