import { DataDesignerError, fileReason, systemCode } from '@data-designer/core';

const DISK_FULL = new Set(['ENOSPC', 'EDQUOT']);

/** Turns an error of the file system into `dataset/disk-full` or `dataset/unwritable`; returns other errors unchanged. */
export function storageFailure(thrown: unknown, path: string): unknown {
  if (!isFromFileSystem(thrown)) return thrown;
  const { code } = thrown;
  if (DISK_FULL.has(code)) return new DataDesignerError('dataset/disk-full', { path }, { cause: thrown });
  return new DataDesignerError('dataset/unwritable', { path, reason: fileReason(thrown, 'folder') }, { cause: thrown });
}

/** Runs `work`; turns errors of the file system into `dataset/disk-full` or `dataset/unwritable`. */
export async function orStorageFailure<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw storageFailure(thrown, path);
  }
}

/** Whether an error comes from the file system, not from the content of a file. */
export function isFromFileSystem(thrown: unknown): thrown is NodeJS.ErrnoException & { readonly code: string } {
  return thrown instanceof Error && /^E[A-Z0-9]+$/.test(systemCode(thrown));
}
