import { DataDesignerError } from '@data-designer/core';

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT']);

/** Refusals of the file system in plain words. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'a file of that name is in the way',
  ENOENT: 'the folder does not exist',
  EISDIR: 'it is a folder, not a file',
  ENAMETOOLONG: 'the name is too long',
  EFBIG: 'the file grew larger than the file system allows',
  EIO: 'the device reports an input/output error',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this machine',
};

/** What a failed write means: disk full, or unwritable with the reason. What the file system did not say is given back as it is. */
export function storageFailure(thrown: unknown, path: string): unknown {
  if (thrown instanceof DataDesignerError || !(thrown instanceof Error)) return thrown;
  if (!isFromFileSystem(thrown)) return thrown;
  const { code } = thrown;
  if (NO_ROOM.has(code)) return new DataDesignerError('dataset/disk-full', { path }, { cause: thrown });
  const reason = REASONS[code] ?? thrown.message;
  return new DataDesignerError('dataset/unwritable', { path, reason }, { cause: thrown });
}

/** Whether the file system refused something, and not what a file holds. */
export function isFromFileSystem(thrown: unknown): thrown is NodeJS.ErrnoException & { readonly code: string } {
  return thrown instanceof Error && /^E[A-Z0-9]+$/.test((thrown as NodeJS.ErrnoException).code ?? '');
}
