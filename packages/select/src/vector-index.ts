import type { DuplicateIndex, Match } from './duplicate-index.ts';
import type { Signature } from './features.ts';
import type { BandShape } from './band-shape.ts';
import { bandOf, sameSides, SKETCH_BITS, SKETCH_WORDS, sketchShape } from './hyperplanes.ts';
import { ValueStore, type ValueStoreOptions } from './value-store.ts';
import { Words } from './words.ts';

/** Rows with so many standard deviations more differing bits than a pair at the threshold are not compared exactly. */
const DEVIATIONS = 5;

/** Finds rows with similar vectors: rows that share a band of the sketch, confirmed by their cosine. */
export class VectorIndex implements DuplicateIndex {
  readonly #threshold: number;
  /** The largest number of differing bits of two sketches whose vectors are compared. */
  readonly #mostDiffering: number;
  /** The last entry plus one of each band and key, and the entry plus one before each entry, by band. */
  readonly #heads: Uint32Array;
  readonly #shape: BandShape;
  readonly #before = new Words();
  readonly #sketches = new Words();
  readonly #vectors: ValueStore;
  readonly #rows = new Words();
  /** The search that saw an entry last. */
  readonly #seen = new Words();
  #search = 0;

  constructor(threshold: number, options: ValueStoreOptions) {
    this.#threshold = threshold;
    this.#shape = sketchShape(threshold);
    this.#heads = new Uint32Array(this.#shape.bands << this.#shape.keys);
    this.#mostDiffering = mostDiffering(threshold);
    this.#vectors = new ValueStore(options);
  }

  find(signature: Signature): Match | undefined {
    if (signature.kind !== 'vector') return undefined;
    for (const entry of this.#near(signature.keys).toSorted((a, b) => a - b)) {
      const similarity = cosine(new Float32Array(this.#vectors.read(entry).buffer), signature.values);
      if (similarity >= this.#threshold) return { row: this.#rows.at(entry), similarity };
    }
    return undefined;
  }

  add(signature: Signature, row: number): void {
    if (signature.kind !== 'vector') return;
    const { keys, values } = signature;
    this.#rows.push(row);
    this.#seen.push(0);
    for (const word of keys) this.#sketches.push(word);
    const { bands, keys: bits } = this.#shape;
    for (let band = 0; band < bands; band++) {
      const head = (band << bits) | bandOf(keys, band, bits);
      this.#before.push(this.#heads[head] ?? 0);
      this.#heads[head] = this.#rows.length;
    }
    this.#vectors.add(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  [Symbol.dispose](): void {
    this.#vectors[Symbol.dispose]();
  }

  /** The entries that share a band and have few differing bits. */
  #near(sketch: Uint32Array): number[] {
    const near: number[] = [];
    this.#search++;
    const { bands, keys: bits } = this.#shape;
    for (let band = 0; band < bands; band++) {
      let entry = (this.#heads[(band << bits) | bandOf(sketch, band, bits)] ?? 0) - 1;
      for (; entry >= 0; entry = this.#before.at(entry * bands + band) - 1) {
        if (this.#seen.at(entry) === this.#search) continue;
        this.#seen.set(entry, this.#search);
        if (this.#differing(entry, sketch) <= this.#mostDiffering) near.push(entry);
      }
    }
    return near;
  }

  #differing(entry: number, sketch: Uint32Array): number {
    let bits = 0;
    for (let word = 0; word < SKETCH_WORDS; word++) {
      bits += bitCount(this.#sketches.at(entry * SKETCH_WORDS + word) ^ (sketch[word] ?? 0));
    }
    return bits;
  }
}

function mostDiffering(threshold: number): number {
  const share = 1 - sameSides(threshold);
  return SKETCH_BITS * share + DEVIATIONS * Math.sqrt(SKETCH_BITS * share * (1 - share)) + 1;
}

/** The one bits of a word (Warren, Hacker's Delight). */
function bitCount(word: number): number {
  let count = word - ((word >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The cosine of two vectors of length 1, rounded to four digits: the last digits depend on the embedding server. */
function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  let product = 0;
  for (let at = 0; at < a.length; at++) product += (a[at] ?? 0) * (b[at] ?? 0);
  return Math.round(product * 10_000) / 10_000;
}
