import { createHash } from 'node:crypto';
import { DataDesignerError, fileReason, systemCode } from '@data-designer/core';
import { type FileStamp, type FileState, fileStamp, hashFile } from '@data-designer/dataset';
import type { SourceFile } from './table-source.ts';

/** The reason for a file that was changed between its inspection and its use. */
export const CHANGED_MEANWHILE = 'it changed while the run started';

/** The size and time of a file; throws `seed/unreadable`. */
export async function stampOf({ path, name }: SourceFile): Promise<FileStamp> {
  try {
    return await fileStamp(path);
  } catch (thrown) {
    throw new DataDesignerError('seed/unreadable', { source: name, reason: reasonOf(thrown) }, { cause: thrown });
  }
}

/** Throws `seed/unreadable` if a file has changed since its inspection. */
export async function refuseChanged(file: SourceFile): Promise<void> {
  if (!file.stamp) return;
  const now = await stampOf(file);
  if (now.size === file.stamp.size && now.mtimeMs === file.stamp.mtimeMs) return;
  const reason = CHANGED_MEANWHILE;
  throw new DataDesignerError('seed/unreadable', { source: file.name, reason });
}

/** The reason why a file that was inspected cannot be read. */
export function reasonOf(thrown: unknown): string {
  return systemCode(thrown) === 'ENOENT' ? 'the file no longer exists' : fileReason(thrown);
}

/** The present size and time of a file, and its hash if wanted; throws `seed/unreadable`. */
export async function stateOf(
  file: SourceFile,
  { isHashed, signal }: { readonly isHashed: boolean; readonly signal: AbortSignal },
): Promise<FileState> {
  const { size, mtimeMs } = await stampOf(file);
  return { path: file.name, size, mtimeMs, sha256: isHashed ? await hashOf(file, signal) : null };
}

/** How a file's content has changed, in words; undefined if it has not, or only its time has. */
export async function changeOf(file: SourceFile, was: FileState, signal: AbortSignal): Promise<string | undefined> {
  if (was.sha256 === null) return undefined;
  const now = await stampOf(file);
  if (now.size !== was.size) return `it has ${now.size} bytes, not ${was.size}`;
  if (now.mtimeMs === was.mtimeMs || (await hashOf(file, signal)) === was.sha256) return undefined;
  return `it was written on ${timeOf(now)}, not on ${timeOf(was)}, and has other content`;
}

function timeOf({ mtimeMs }: FileStamp): string {
  return new Date(mtimeMs).toISOString();
}

/** The SHA-256 of a file's content. */
async function hashOf({ path, name }: SourceFile, signal: AbortSignal): Promise<string> {
  try {
    return (await hashFile(createHash('sha256'), path, signal)).digest('hex');
  } catch (thrown) {
    signal.throwIfAborted();
    throw new DataDesignerError('seed/unreadable', { source: name, reason: reasonOf(thrown) }, { cause: thrown });
  }
}
