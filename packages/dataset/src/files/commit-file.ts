import { dirname } from 'node:path';
import { threadId } from 'node:worker_threads';
import { files } from './files.ts';
import { storageFailure } from './storage-failure.ts';

/** A file that is on disk under a temporary name and waits for the name it shall have; plain data, so that it crosses threads. */
export interface StagedFile {
  readonly temporary: string;
  readonly path: string;
}

/** What to write: all of it, or a function that appends it piece by piece (a piece may be reused after the call). */
export type FileContent = string | Uint8Array | ((append: (bytes: Uint8Array) => void) => void | Promise<void>);

/** The names of temporary files that `stage` makes up. */
export const TEMPORARY_NAME = /\.tmp-\d+-\d+-\d+$/;

let staged = 0;

/** The temporary files of `writeDurably` that are being written. */
const underWay = new Set<string>();

/**
 * Writes and fsyncs a file under a temporary name on the same file system (beside `path` unless given). On failure the
 * temporary file is removed and the error is `dataset/disk-full`, `dataset/unwritable`, or what `content` threw.
 */
export async function stage(
  path: string,
  content: FileContent,
  { temporary = temporaryName(path) }: { temporary?: string } = {},
): Promise<StagedFile> {
  try {
    await writeSynced(temporary, content);
  } catch (error) {
    throw storageFailure(error, path);
  }
  return { temporary, path };
}

/** Gives a staged file its name, replacing what had it, and fsyncs the folder: the moment from which the file counts. */
export async function commit({ temporary, path }: StagedFile): Promise<void> {
  try {
    await files().rename(temporary, path);
    await files().syncFolder(dirname(path));
  } catch (error) {
    await files()
      .unlink(temporary)
      .catch(() => {});
    throw storageFailure(error, path);
  }
}

/** Removes a staged file that shall not be. */
export async function discard({ temporary }: Pick<StagedFile, 'temporary'>): Promise<void> {
  await files().unlink(temporary);
}

/** Writes a file that is, whatever happens, either there in full or not there: `stage`, then `commit`. */
export async function writeDurably(path: string, content: FileContent): Promise<void> {
  const temporary = temporaryName(path);
  underWay.add(temporary);
  try {
    await commit(await stage(path, content, { temporary }));
  } finally {
    underWay.delete(temporary);
  }
}

/** Removes what `writeDurably` has half-written on this thread; for a process that ends right after. */
export function discardUnderWay(): void {
  for (const temporary of underWay) files().unlinkSync(temporary);
}

function temporaryName(path: string): string {
  return `${path}.tmp-${process.pid}-${threadId}-${staged++}`;
}

async function writeSynced(temporary: string, content: FileContent): Promise<void> {
  const disk = files();
  const file = await disk.open(temporary, 'w');
  try {
    if (typeof content !== 'function') await disk.write(file, content);
    else await content((bytes) => writeAll(file, bytes));
    await disk.sync(file);
  } catch (error) {
    await disk.close(file).catch(() => {});
    await disk.unlink(temporary).catch(() => {});
    throw error;
  }
  await disk.close(file);
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length;) offset += files().writeSync(file, bytes.subarray(offset));
}
