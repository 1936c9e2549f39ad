import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Words } from './words.ts';

const MEBIBYTE = 2 ** 20;
/** Bytes of a block: what is written at once. */
const BLOCK = MEBIBYTE;

/** How a store keeps its values. */
export interface ValueStoreOptions {
  /** Bytes in memory; later values go to a temporary file. */
  readonly memoryBytes?: number;
  /** The folder of the temporary file. */
  readonly folder?: string;
}

/**
 * Byte strings by number, counting up from 0: the first in memory, the others in a temporary file that positional
 * reads fetch from. Dispose it to delete the file.
 */
export class ValueStore implements Disposable {
  readonly #blocks: Uint8Array[] = [];
  readonly #memoryBlocks: number;
  readonly #folder: string;
  /** Ends of the byte strings, as two words. */
  readonly #endBlocks = new Words();
  readonly #endOffsets = new Words();
  #file: { readonly descriptor: number; readonly folder: string } | undefined;
  #end = 0;

  constructor({ memoryBytes = 32 * MEBIBYTE, folder = tmpdir() }: ValueStoreOptions = {}) {
    this.#memoryBlocks = Math.max(1, Math.floor(memoryBytes / BLOCK));
    this.#folder = folder;
  }

  add(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;) {
      const offset = this.#end % BLOCK;
      const length = Math.min(BLOCK - offset, bytes.length - done);
      this.#tail().set(bytes.subarray(done, done + length), offset);
      done += length;
      this.#end += length;
    }
    this.#endBlocks.push(Math.floor(this.#end / BLOCK));
    this.#endOffsets.push(this.#end % BLOCK);
  }

  /** The bytes of a number, in a buffer of their own. */
  read(number: number): Uint8Array<ArrayBuffer> {
    const start = number === 0 ? 0 : this.#endOf(number - 1);
    const bytes = new Uint8Array(this.#endOf(number) - start);
    for (let done = 0; done < bytes.length;) {
      const at = start + done;
      const part = bytes.subarray(done, done + BLOCK - (at % BLOCK));
      this.#readBlock(at, part);
      done += part.length;
    }
    return bytes;
  }

  [Symbol.dispose](): void {
    if (!this.#file) return;
    closeSync(this.#file.descriptor);
    rmSync(this.#file.folder, { recursive: true, force: true });
    this.#file = undefined;
  }

  #endOf(number: number): number {
    return this.#endBlocks.at(number) * BLOCK + this.#endOffsets.at(number);
  }

  /** The block that the next byte goes to. Writes the block before it to the file if memory is full. */
  #tail(): Uint8Array {
    const block = Math.floor(this.#end / BLOCK);
    const held = Math.min(block, this.#memoryBlocks);
    const tail = (this.#blocks[held] ??= new Uint8Array(BLOCK));
    if (block > this.#memoryBlocks && this.#end % BLOCK === 0) this.#write(tail, block - 1);
    return tail;
  }

  #write(bytes: Uint8Array, block: number): void {
    this.#file ??= openFile(this.#folder);
    writeSync(this.#file.descriptor, bytes, 0, BLOCK, (block - this.#memoryBlocks) * BLOCK);
  }

  #readBlock(at: number, into: Uint8Array): void {
    const block = Math.floor(at / BLOCK);
    const last = Math.floor((this.#end - 1) / BLOCK);
    if (block < this.#memoryBlocks || block === last) {
      const held = this.#blocks[Math.min(block, this.#memoryBlocks)];
      if (held) into.set(held.subarray(at % BLOCK, (at % BLOCK) + into.length));
      return;
    }
    if (this.#file) readSync(this.#file.descriptor, into, 0, into.length, at - this.#memoryBlocks * BLOCK);
  }
}

function openFile(parent: string): { descriptor: number; folder: string } {
  const folder = mkdtempSync(join(parent, 'data-designer-select-'));
  return { descriptor: openSync(join(folder, 'values'), 'w+'), folder };
}
