import { stat } from 'node:fs/promises';
import { DataDesignerError, fileReason } from '@data-designer/core';
import type { FileStamp } from '@data-designer/dataset';

/** A file by its path and its name in messages. */
interface NamedFile {
  readonly path: string;
  readonly name: string;
}

/** The size and time of a file; throws `seed/unreadable`. */
export async function stampOf({ path, name }: NamedFile): Promise<FileStamp> {
  try {
    const { size, mtimeMs } = await stat(path);
    return { size, mtimeMs };
  } catch (thrown) {
    throw new DataDesignerError('seed/unreadable', { source: name, reason: reasonOf(thrown) }, { cause: thrown });
  }
}

/** Throws `seed/unreadable` if a file has changed since its inspection. */
export async function refuseChanged(file: NamedFile & { readonly stamp?: FileStamp }): Promise<void> {
  if (!file.stamp) return;
  const now = await stampOf(file);
  if (now.size === file.stamp.size && now.mtimeMs === file.stamp.mtimeMs) return;
  const reason = 'it was changed while the run began';
  throw new DataDesignerError('seed/unreadable', { source: file.name, reason });
}

/** Why a file that was inspected cannot be read any more. */
export function reasonOf(thrown: unknown): string {
  return (thrown as NodeJS.ErrnoException).code === 'ENOENT' ? 'the file is gone' : fileReason(thrown);
}
