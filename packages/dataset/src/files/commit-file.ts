import { randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import zlib from 'node:zlib';
import { refuseAddress } from '@data-designer/core';
import { files } from './files.ts';
import { isRunning } from './running-process.ts';
import { orStorageFailure, storageFailure } from './storage-failure.ts';

/** A complete file under a temporary name, to be renamed to `path`; plain data, so that it crosses threads. */
export interface StagedFile {
  readonly temporary: string;
  readonly path: string;
}

/** The content of a file, or a function that appends it in pieces; the buffer of a piece may be reused after the call. */
export type FileContent = string | Uint8Array | ((append: (bytes: Uint8Array) => void) => void | Promise<void>);

/** The names of temporary files: the process and thread that write them, a number, and the host. */
export const TEMPORARY_NAME = /\.tmp-(\d+)-\d+-\d+(?:-([\da-f]+))?$/;

const HOST = zlib.crc32(hostname()).toString(16);

// Machines that share a folder may have processes of the same number.
let staged = randomInt(2 ** 32);

/** The temporary files that `writeDurably` is writing. */
const unfinished = new Set<string>();

/** Writes and fsyncs a file under a temporary name on the same file system; removes it on failure. Throws `dataset/*`. */
export async function stage(
  path: string,
  content: FileContent,
  { temporary = temporaryName(path) }: { temporary?: string } = {},
): Promise<StagedFile> {
  await orStorageFailure(path, () => writeSynced(temporary, content));
  return { temporary, path };
}

/** A file that is written piece by piece under a temporary name, to be committed or discarded. Its methods throw `dataset/*`. */
export class PendingFile {
  readonly #path: string;
  readonly #temporary: string;
  readonly #file: number;
  #bytes = 0;

  private constructor(path: string, { temporary, file }: { readonly temporary: string; readonly file: number }) {
    this.#path = path;
    this.#temporary = temporary;
    this.#file = file;
  }

  /** Opens the file; a process that ends before removes it by `discardUnfinished`. */
  static async open(path: string): Promise<PendingFile> {
    refuseAddress(path);
    const temporary = temporaryName(path);
    unfinished.add(temporary);
    const file = await orStorageFailure(path, () => files().open(temporary, 'w'));
    return new PendingFile(path, { temporary, file });
  }

  /** The name under which it is written. */
  get temporary(): string {
    return this.#temporary;
  }

  /** The bytes so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Appends bytes; the caller may reuse the buffer afterwards. */
  append(bytes: Uint8Array): void {
    try {
      writeAll(this.#file, bytes);
    } catch (thrown) {
      throw storageFailure(thrown, this.#path);
    }
    this.#bytes += bytes.length;
  }

  /** Syncs and closes the file. */
  async finish(): Promise<StagedFile> {
    await orStorageFailure(this.#path, async () => {
      await files().sync(this.#file);
      await files().close(this.#file);
    });
    return { temporary: this.#temporary, path: this.#path };
  }

  /** Closes and removes the file. */
  async discard(): Promise<void> {
    await files()
      .close(this.#file)
      .catch(() => {});
    await discard(this);
  }
}

/** Renames a staged file to its final name, replacing an older file, and fsyncs the folder. */
export async function commit({ temporary, path }: StagedFile): Promise<void> {
  try {
    await files().rename(temporary, path);
    unfinished.delete(temporary);
    await files().syncFolder(dirname(path));
  } catch (error) {
    await files()
      .unlink(temporary)
      .catch(() => {});
    throw storageFailure(error, path);
  }
}

/** Removes a staged file instead of committing it. */
export async function discard({ temporary }: Pick<StagedFile, 'temporary'>): Promise<void> {
  await files().unlink(temporary);
  unfinished.delete(temporary);
}

/** Writes a file atomically: `stage`, then `commit`. */
export async function writeDurably(path: string, content: FileContent): Promise<void> {
  refuseAddress(path);
  const temporary = temporaryName(path);
  unfinished.add(temporary);
  try {
    await commit(await stage(path, content, { temporary }));
  } finally {
    unfinished.delete(temporary);
  }
}

/** Replaces a file atomically without syncing it: for a file that loses its worth when the run ends. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const temporary = temporaryName(path);
  const disk = files();
  try {
    const file = await disk.open(temporary, 'w');
    try {
      await disk.write(file, content);
    } finally {
      await disk.close(file);
    }
    await disk.rename(temporary, path);
  } catch (error) {
    await disk.unlink(temporary).catch(() => {});
    throw storageFailure(error, path);
  }
}

/** Removes the temporary files in a folder that killed processes of this host have left; those of living ones stay. */
export async function clearAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid, host] = TEMPORARY_NAME.exec(name) ?? [];
    // A leftover that cannot be removed is no reason to fail.
    if (host === HOST && !isRunning(Number(pid)))
      await files()
        .unlink(join(folder, name))
        .catch(() => {});
  }
}

/** Removes the unfinished files of `writeDurably` on this thread, for a process that is about to end. */
export function discardUnfinished(): void {
  for (const temporary of unfinished) files().unlinkSync(temporary);
}

function temporaryName(path: string): string {
  return `${path}.tmp-${process.pid}-${threadId}-${staged++}-${HOST}`;
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
