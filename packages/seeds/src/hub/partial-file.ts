import { createHash, type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { commit } from '@data-designer/dataset';
import { storageFailure } from '@data-designer/dataset/journal';

/** How the bytes of a file are summed up: by SHA-256, or as git names a file of so many bytes. */
export type Checksum =
  | { readonly kind: 'sha256'; readonly hex: string }
  | { readonly kind: 'git'; readonly hex: string; readonly bytes: number };

/** Where a file gathers, and which name it gets once it is whole. */
export interface PartialPaths {
  /** For files that are not whole; on one file system with `path`. Made if it is not there (0700). */
  readonly folder: string;
  readonly path: string;
}

/**
 * A file that arrives in pieces, under another name until it is whole: leaving its scope removes what was not kept.
 * Failures of the disk are `dataset/disk-full` and `dataset/unwritable`.
 */
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

  /** How many bytes are there. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Begins anew, without what has come so far. */
  async restart(): Promise<void> {
    await this.#storing(async () => {
      await this.#handle?.close();
      this.#handle = undefined;
      await mkdir(dirname(this.#temporary), { recursive: true, mode: 0o700 });
      this.#handle = await open(this.#temporary, 'w', 0o600);
    });
    this.#hash = newHash(this.#checksum);
    this.#bytes = 0;
  }

  /** Adds the next bytes; `restart` must have been called. */
  async append(chunk: Uint8Array): Promise<void> {
    await this.#storing(async () => this.#handle?.writeFile(chunk));
    this.#hash?.update(chunk);
    this.#bytes += chunk.length;
  }

  /** Whether the bytes are those that the checksum was made of; true where none is known. */
  isIntact(): boolean {
    return this.#checksum === undefined || this.#hash?.copy().digest('hex') === this.#checksum.hex;
  }

  /** Gives the file its name (0600, in folders of 0700), from where it is whole whatever happens. */
  async keep(): Promise<void> {
    await this.#storing(async () => {
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

  async #storing(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      throw storageFailure(thrown, this.#path);
    }
  }
}

function newHash(checksum: Checksum | undefined): Hash | undefined {
  if (checksum?.kind === 'sha256') return createHash('sha256');
  return checksum && createHash('sha1').update(`blob ${checksum.bytes}\0`);
}
