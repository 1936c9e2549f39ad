import { NGrams } from './ngrams.ts';
import { normaliseCase } from './normalise.ts';
import { Tokens } from './tokens.ts';
import { Words } from './words.ts';

/**
 * The n-grams of benchmark items as plain data in shared memory: posting it to a thread copies nothing. A position
 * counts the n-grams of all texts in order; a text of fewer tokens than an n-gram has one position, for all of it.
 */
export interface Benchmarks {
  /** Tokens of an n-gram. */
  readonly ngram: number;
  readonly files: readonly string[];
  /** The first position of each text, and the number of positions. */
  readonly textStarts: Uint32Array;
  /** The position of each text's file in `files`, and its item. */
  readonly textFiles: Uint16Array;
  readonly textItems: Uint32Array;
  /** The leading bits of a hash that choose its bucket. */
  readonly bucketBits: number;
  /** The first entry of each bucket, and the number of entries. */
  readonly bucketStarts: Uint32Array;
  /** The other bits of each entry's hash, 48 of them. */
  readonly tags: Uint16Array;
  readonly rests: Uint32Array;
  /** The position of each entry. */
  readonly positions: Uint32Array;
}

/** An item's place. */
export interface BenchmarkItem {
  readonly file: string;
  /** Its row in the file, from 0. */
  readonly item: number;
}

/** Buckets hold eight to sixteen entries, and a small index has 16 buckets. */
const BITS_LESS = 3;
const FEWEST_BITS = 4;

const tokens = new Tokens();
const ngrams = new NGrams();

/** Collects the items of benchmark files and builds their index. Takes 10 bytes for each n-gram, and twice that to build. */
export class BenchmarkBuilder {
  readonly #ngram: number;
  readonly #files: string[] = [];
  readonly #textStarts = new Words();
  readonly #textFiles = new Words();
  readonly #textItems = new Words();
  readonly #high = new Words();
  readonly #low = new Words();

  constructor(ngram: number) {
    this.#ngram = ngram;
  }

  /**
   * Adds a text of an item; an item of several texts is found by each of them. Returns false for a text without words,
   * and for one with fewer tokens than an n-gram if those are left out.
   */
  add({ file, item }: BenchmarkItem, text: string, { isShortLeftOut = false } = {}): boolean {
    const { count, high, low } = hashGrams(text, this.#ngram);
    if (count === 0 || (isShortLeftOut && tokens.count < this.#ngram)) return false;
    if (this.#files.at(-1) !== file) this.#files.push(file);
    this.#textStarts.push(this.#high.length);
    this.#textFiles.push(this.#files.length - 1);
    this.#textItems.push(item);
    for (let at = 0; at < count; at++) {
      this.#high.push(high[at] ?? 0);
      this.#low.push(low[at] ?? 0);
    }
    return true;
  }

  build(): Benchmarks {
    const entries = this.#high.length;
    const bucketBits = Math.max(FEWEST_BITS, Math.floor(Math.log2(Math.max(1, entries))) - BITS_LESS);
    const shift = 32 - bucketBits;
    const bucketStarts = shared(Uint32Array, 2 ** bucketBits + 1);
    for (let at = 0; at < entries; at++) increment(bucketStarts, (this.#high.at(at) >>> shift) + 1);
    for (let bucket = 1; bucket < bucketStarts.length; bucket++) {
      bucketStarts[bucket] = (bucketStarts[bucket] ?? 0) + (bucketStarts[bucket - 1] ?? 0);
    }
    const tags = shared(Uint16Array, entries);
    const rests = shared(Uint32Array, entries);
    const positions = shared(Uint32Array, entries);
    const next = bucketStarts.slice();
    for (let at = 0; at < entries; at++) {
      const high = this.#high.at(at);
      const entry = increment(next, high >>> shift);
      tags[entry] = high & 0xffff;
      rests[entry] = this.#low.at(at);
      positions[entry] = at;
    }
    return { ...this.#texts(), bucketBits, bucketStarts, tags, rests, positions };
  }

  #texts(): Pick<Benchmarks, 'ngram' | 'files' | 'textStarts' | 'textFiles' | 'textItems'> {
    const texts = this.#textItems.length;
    const textStarts = shared(Uint32Array, texts + 1);
    const textFiles = shared(Uint16Array, texts);
    const textItems = shared(Uint32Array, texts);
    for (let text = 0; text < texts; text++) {
      textStarts[text] = this.#textStarts.at(text);
      textFiles[text] = this.#textFiles.at(text);
      textItems[text] = this.#textItems.at(text);
    }
    textStarts[texts] = this.#high.length;
    return { ngram: this.#ngram, files: this.#files, textStarts, textFiles, textItems };
  }
}

/** The n-grams of a text without case and punctuation; of a shorter text, all its tokens as one. */
export function hashGrams(text: string, size: number): NGrams {
  tokens.readPlain(normaliseCase(text));
  return ngrams.read(tokens, Math.min(size, Math.max(1, tokens.count)));
}

/** Adds one to a counter and returns what it was. */
function increment(counters: Uint32Array, at: number): number {
  const count = counters[at] ?? 0;
  counters[at] = count + 1;
  return count;
}

interface SharedArray<T> {
  new (buffer: SharedArrayBuffer): T;
  readonly BYTES_PER_ELEMENT: number;
}

function shared<T>(array: SharedArray<T>, length: number): T {
  return new array(new SharedArrayBuffer(length * array.BYTES_PER_ELEMENT));
}
