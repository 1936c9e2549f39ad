import { realpathSync, statSync } from 'node:fs';
import { DataDesignerError, fileReason } from '@data-designer/core';

/** Folders whose files cells may name, where they really are; throws `dataset/no-media-root` for one that is not there. */
export function mediaRootsOf(folders: readonly string[]): readonly string[] {
  return folders.map((path) => {
    let reason = 'it is no folder';
    try {
      const real = realpathSync(path);
      if (statSync(real).isDirectory()) return real;
    } catch (thrown) {
      reason = fileReason(thrown, 'folder');
    }
    throw new DataDesignerError('dataset/no-media-root', { path, reason });
  });
}
