import { readFileSync } from 'node:fs';

/** The encodings of OpenAI whose tokens are counted. */
export const ENCODINGS = ['cl100k_base', 'o200k_base'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The name of the file with the vocabulary of an encoding. */
export function vocabularyFile(encoding: Encoding): string {
  return `${encoding.replace('_', '-')}.bin`;
}

/** The rank of bytes that are no token; greater than every rank. */
export const NO_TOKEN = 2 ** 31 - 1;

/** Buckets of the hash table in the file. */
export const BUCKETS = 2 ** 16;

/** The bytes of an address, and of a rank, in the file. */
export const NUMBER_BYTES = 3;

/** The bytes of the longest tokens of all encodings: runs of spaces, of hyphens and so on. */
const LONGEST_TOKEN = 128;

/** The bucket of the bytes from `start` to `end`: 0 to `BUCKETS - 1`. */
export function bucketOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0;
  // The factor spreads a byte over all bits (Knuth, The Art of Computer Programming 3, section 6.4).
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x9e3779b1);
  return (hash ^ (hash >>> 15)) & (BUCKETS - 1);
}

/**
 * The tokens of an encoding with their ranks (100,256 in cl100k_base, 199,998 in o200k_base): a hash table that is used as it is read, so loading it takes no other
 * time. The file has `BUCKETS + 1` addresses of its own bytes, then the tokens. Those of bucket b lie between the addresses
 * b and b + 1, each as its length (one byte), its rank and its bytes. Numbers are little-endian.
 */
export class Vocabulary {
  readonly #file: Uint8Array;

  constructor(file: Uint8Array) {
    this.#file = file;
  }

  /** Reads the file of an encoding, which lies next to this module: in the sources, and in `dist`. */
  static load(encoding: Encoding = 'cl100k_base'): Vocabulary {
    return new Vocabulary(readFileSync(new URL(vocabularyFile(encoding), import.meta.url)));
  }

  /** The rank of the token that consists of the bytes from `start` to `end`; `NO_TOKEN` if they are no token. */
  rankOf(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length > LONGEST_TOKEN) return NO_TOKEN;
    const file = this.#file;
    const address = bucketOf(bytes, start, end) * NUMBER_BYTES;
    const last = this.#numberAt(address + NUMBER_BYTES);
    let at = this.#numberAt(address);
    while (at < last) {
      const size = file[at] ?? 0;
      const token = at + 1 + NUMBER_BYTES;
      let same = 0;
      if (size === length) while (same < length && file[token + same] === bytes[start + same]) same++;
      if (same === length) return this.#numberAt(at + 1);
      at = token + size;
    }
    return NO_TOKEN;
  }

  #numberAt(at: number): number {
    const file = this.#file;
    return (file[at] ?? 0) | ((file[at + 1] ?? 0) << 8) | ((file[at + 2] ?? 0) << 16);
  }
}
