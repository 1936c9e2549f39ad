import { createHash, type Hash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { commit } from '@data-designer/dataset';
import { orStorageFailure } from '@data-designer/dataset/journal';

/** The checksum of a file: SHA-256, or git's blob hash, which includes the size. */
export type Checksum =
  | { readonly kind: 'sha256'; readonly hex: string }
  | { readonly kind: 'git'; readonly hex: string; readonly bytes: number };

const CHUNK_BYTES = 1_048_576;

/** Where a file is downloaded to, and where it goes when complete. */
export interface PartialPaths {
  /** For incomplete files; on the file system of `path`. Made if missing (0700). */
  readonly folder: string;
  readonly path: string;
}

/** A file under a temporary name until it is complete; disposing removes an incomplete one. Throws `dataset/*`. */
export class PartialFile implements AsyncDisposable {
  readonly #path: string;
  readonly #temporary: string;
  readonly #checksum: Checksum | undefined;
  #handle: FileHandle | undefined;
  #hash: Hash;
  #bytes = 0;

  constructor({ folder, path }: PartialPaths, checksum: Checksum | undefined) {
    this.#path = path;
    this.#temporary = join(folder, randomUUID());
    this.#checksum = checksum;
    this.#hash = newHash(checksum);
  }

  /** The number of bytes so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The path of the file until it is committed. */
  get temporary(): string {
    return this.#temporary;
  }

  /** The checksum of the bytes so far, as hex digits: of the kind that was given, else SHA-256. */
  get digest(): string {
    return this.#hash.copy().digest('hex');
  }

  /** Discards the bytes so far. */
  async restart(): Promise<void> {
    await orStorageFailure(this.#path, async () => {
      await this.#handle?.close();
      this.#handle = undefined;
      await mkdir(dirname(this.#temporary), { recursive: true, mode: 0o700 });
      this.#handle = await open(this.#temporary, 'w', 0o600);
    });
    this.#hash = newHash(this.#checksum);
    this.#bytes = 0;
  }

  /** Adds the next bytes, after `restart`. */
  async append(chunk: Uint8Array): Promise<void> {
    await orStorageFailure(this.#path, async () => this.#handle?.writeFile(chunk));
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
  }

  /** Takes a complete file of the same file system instead of bytes. */
  async adopt(path: string, signal: AbortSignal): Promise<void> {
    await orStorageFailure(this.#path, async () => {
      await mkdir(dirname(this.#temporary), { recursive: true, mode: 0o700 });
      await rename(path, this.#temporary);
      this.#handle = await open(this.#temporary, 'r');
    });
    const chunks: AsyncIterable<Buffer> = createReadStream(this.#temporary, { highWaterMark: CHUNK_BYTES, signal });
    for await (const chunk of chunks) {
      this.#hash.update(chunk);
      this.#bytes += chunk.length;
    }
  }

  /** Whether the bytes match the checksum, if there is one. */
  isIntact(): boolean {
    return this.#checksum === undefined || this.digest === this.#checksum.hex;
  }

  /** Commits the complete file under its path (0600, in folders of 0700). */
  async keep(): Promise<void> {
    await orStorageFailure(this.#path, async () => {
      await this.#handle?.sync();
      await this.#handle?.close();
      this.#handle = undefined;
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      await commit({ temporary: this.#temporary, path: this.#path });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle?.close().catch(() => {});
    await rm(this.#temporary, { force: true }).catch(() => {});
  }
}

function newHash(checksum: Checksum | undefined): Hash {
  if (checksum?.kind !== 'git') return createHash('sha256');
  return createHash('sha1').update(`blob ${checksum.bytes}\0`);
}

const ABANDONED_MS = 86_400_000;

/** Removes incomplete files of killed processes: those unchanged for a day. */
export async function removeAbandoned(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined);
    if (stats && Date.now() - stats.mtimeMs > ABANDONED_MS) await rm(path, { force: true, recursive: true });
  }
}
