import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DataDesignerError, fileReason, refuseAddress } from '@data-designer/core';

/**
 * Throws `dataset/unwritable` if a folder cannot be written to, before any request is paid for. With `isMade` a missing
 * folder is fine if its nearest existing parent can be written to.
 */
export async function checkWritable(folder: string, { isMade = false } = {}): Promise<void> {
  refuseAddress(folder);
  const path = resolve(folder);
  try {
    // The dot makes a file fail, which may be writable itself.
    await access(`${path}/.`, constants.W_OK);
  } catch (thrown) {
    const { code = '' } = thrown as NodeJS.ErrnoException;
    if (isMade && code === 'ENOENT' && dirname(path) !== path) return checkWritable(dirname(path), { isMade });
    throw new DataDesignerError(
      'dataset/unwritable',
      { path, reason: fileReason(thrown, 'folder') },
      { cause: thrown },
    );
  }
}
