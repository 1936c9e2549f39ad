import { realpathSync, statSync } from 'node:fs';
import { DataDesignerError, fileReason } from '@data-designer/core';

/** Resolves the folders whose files cells may name to real paths; throws `dataset/no-media-root` for a missing one. */
export function mediaRootsOf(folders: readonly string[]): readonly string[] {
  return folders.map((path) => {
    let reason = 'it is not a folder';
    try {
      const real = realpathSync(path);
      if (statSync(real).isDirectory()) return real;
    } catch (thrown) {
      reason = fileReason(thrown, 'folder');
    }
    throw new DataDesignerError('dataset/no-media-root', { path, reason });
  });
}
