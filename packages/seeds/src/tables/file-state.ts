import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { DataDesignerError } from '@data-designer/core';
import type { FileStamp, FileState } from '@data-designer/dataset';
import { reasonOf, stampOf } from './file-stamp.ts';
import type { SourceFile } from './table-source.ts';

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
  return `it was written on ${timeOf(now)}, not on ${timeOf(was)}, and holds something else`;
}

function timeOf({ mtimeMs }: FileStamp): string {
  return new Date(mtimeMs).toISOString();
}

/** The SHA-256 of a file's content. */
async function hashOf({ path, name }: SourceFile, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  try {
    const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 1024 * 1024, signal });
    for await (const chunk of chunks) hash.update(chunk);
  } catch (thrown) {
    signal.throwIfAborted();
    throw new DataDesignerError('seed/unreadable', { source: name, reason: reasonOf(thrown) }, { cause: thrown });
  }
  return hash.digest('hex');
}
