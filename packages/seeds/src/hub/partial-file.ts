import { createHash, type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { commit } from '@data-designer/dataset';
import { orStorageFailure } from '@data-designer/dataset/journal';

/** The checksum of a file: SHA-256, or git's blob hash, which includes the size. */
export type Checksum =
  | { readonly kind: 'sha256'; readonly hex: string }
  | { readonly kind: 'git'; readonly hex: string; readonly bytes: number };

/** Where a file is downloaded to, and where it goes when complete. */
export interface PartialPaths {
  /** For incomplete files; on the file system of `path`. Made if missing (0700). */
  readonly folder: string;
  readonly path: string;
}

/** A download under a temporary name until it is complete; disposing removes an incomplete one. Throws `dataset/*`. */
export class PartialFile implements AsyncDisposable {
  readonly #path: string;
  readonly #temporary: string;
  readonly #checksum: Checksum | undefined;
  #handle: FileHandle | undefined;
  #hash: Hash | undefined;
  #bytes = 0;

  constructor({ folder, path }: PartialPaths, checksum: Checksum | undefined) {
    this.#path = path;
    this.#temporary = join(folder, randomUUID());
    this.#checksum = checksum;
  }

  /** The number of bytes so far. */
  get bytes(): number {
    return this.#bytes;
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
    this.#hash?.update(chunk);
    this.#bytes += chunk.length;
  }

  /** Whether the bytes match the checksum, if there is one. */
  isIntact(): boolean {
    return this.#checksum === undefined || this.#hash?.copy().digest('hex') === this.#checksum.hex;
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

function newHash(checksum: Checksum | undefined): Hash | undefined {
  if (checksum?.kind === 'sha256') return createHash('sha256');
  return checksum && createHash('sha1').update(`blob ${checksum.bytes}\0`);
}
