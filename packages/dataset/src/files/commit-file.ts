import { randomInt } from 'node:crypto';
import { type Stats, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import zlib from 'node:zlib';
import { DataDesignerError, refuseAddress } from '@data-designer/core';
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

/** The temporary files that this thread is writing, or is yet to commit. */
const unfinished = new Set<string>();

/**
 * Writes and fsyncs a file under a temporary name on the same file system; removes it on failure. Any thread may commit it,
 * so that `discardUnfinished` leaves it. Throws `dataset/*`.
 */
export async function stage(
  path: string,
  content: FileContent,
  { temporary }: { readonly temporary?: string } = {},
): Promise<StagedFile> {
  const file = await writePending(await PendingFile.open(path, temporary), content);
  unfinished.delete(file.temporary);
  return file;
}

/** A file that is written piece by piece under a temporary name, to be committed or discarded. Its methods throw `dataset/*`. */
export class PendingFile {
  readonly path: string;
  readonly #temporary: string;
  readonly #file: number;
  #bytes = 0;
  #isOpen = true;

  private constructor(path: string, { temporary, file }: { readonly temporary: string; readonly file: number }) {
    this.path = path;
    this.#temporary = temporary;
    this.#file = file;
  }

  /** Opens the file; a process that ends before removes it by `discardUnfinished`. */
  static async open(path: string, temporary: string = temporaryName(path)): Promise<PendingFile> {
    refuseAddress(path);
    refuseDevice(path);
    unfinished.add(temporary);
    try {
      return new PendingFile(path, { temporary, file: await files().open(temporary, 'w') });
    } catch (thrown) {
      unfinished.delete(temporary);
      throw storageFailure(thrown, path);
    }
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
      throw storageFailure(thrown, this.path);
    }
    this.#bytes += bytes.length;
  }

  /** Writes the whole content of a file that has none. */
  async write(content: string | Uint8Array): Promise<void> {
    await orStorageFailure(this.path, () => files().write(this.#file, content));
    this.#bytes = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
  }

  /** Syncs and closes the file. */
  async finish(): Promise<StagedFile> {
    await orStorageFailure(this.path, async () => {
      await files().sync(this.#file);
      this.#isOpen = false;
      await files().close(this.#file);
    });
    return { temporary: this.#temporary, path: this.path };
  }

  /** Closes and removes the file. */
  async discard(): Promise<void> {
    // Once it is closed, another file may have its number.
    if (this.#isOpen)
      await files()
        .close(this.#file)
        .catch(() => {});
    this.#isOpen = false;
    await discard(this);
  }
}

/** Throws `dataset/unwritable` for a device or a pipe, also behind a link: a file would take its place. */
function refuseDevice(path: string): void {
  const found = statOf(path);
  if (!found || found.isFile() || found.isDirectory()) return;
  const reason = 'it is a device or a pipe, which a file would replace';
  throw new DataDesignerError('dataset/unwritable', {
    path,
    reason,
    remedy: 'Name a file, or print to standard output.',
  });
}

/** Undefined for a path that cannot be looked at; to write there tells why. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
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
    unfinished.delete(temporary);
    throw storageFailure(error, path);
  }
}

/** Removes a staged file instead of committing it. */
export async function discard({ temporary }: Pick<StagedFile, 'temporary'>): Promise<void> {
  await files().unlink(temporary);
  unfinished.delete(temporary);
}

/** Writes a file atomically: under a temporary name, then `commit`. */
export async function writeDurably(path: string, content: FileContent): Promise<void> {
  await commit(await writePending(await PendingFile.open(path), content));
}

/** Writes all of a file; discards it on failure. */
async function writePending(file: PendingFile, content: FileContent): Promise<StagedFile> {
  try {
    if (typeof content === 'function') await content((bytes) => file.append(bytes));
    else await file.write(content);
    return await file.finish();
  } catch (thrown) {
    await file.discard().catch(() => {});
    throw storageFailure(thrown, file.path);
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

/** Removes the unfinished files of this thread, for a process that is about to end. */
export function discardUnfinished(): void {
  for (const temporary of unfinished) files().unlinkSync(temporary);
  unfinished.clear();
}

function temporaryName(path: string): string {
  return `${path}.tmp-${process.pid}-${threadId}-${staged++}-${HOST}`;
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length;) offset += files().writeSync(file, bytes.subarray(offset));
}
