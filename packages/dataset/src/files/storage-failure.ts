import { DataDesignerError, fileReason } from '@data-designer/core';

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT']);

/** What a failed write means: disk full, or unwritable with the reason. What the file system did not say is given back as it is. */
export function storageFailure(thrown: unknown, path: string): unknown {
  if (thrown instanceof DataDesignerError || !(thrown instanceof Error)) return thrown;
  if (!isFromFileSystem(thrown)) return thrown;
  const { code } = thrown;
  if (NO_ROOM.has(code)) return new DataDesignerError('dataset/disk-full', { path }, { cause: thrown });
  return new DataDesignerError('dataset/unwritable', { path, reason: fileReason(thrown, 'folder') }, { cause: thrown });
}

/** Whether the file system refused something, and not what a file holds. */
export function isFromFileSystem(thrown: unknown): thrown is NodeJS.ErrnoException & { readonly code: string } {
  return thrown instanceof Error && /^E[A-Z0-9]+$/.test((thrown as NodeJS.ErrnoException).code ?? '');
}
