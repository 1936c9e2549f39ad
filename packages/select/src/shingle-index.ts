import type { DuplicateIndex, Match } from './duplicate-index.ts';
import type { Signature } from './features.ts';
import { KeyTable, MOST_ROWS } from './key-table.ts';
import { minHashShape } from './minhash.ts';
import { TextIndex } from './text-index.ts';
import { ValueStore, type ValueStoreOptions } from './value-store.ts';
import { Words } from './words.ts';

/** Finds rows whose sets of shingles are similar: rows that share a band key, confirmed by their Jaccard similarity. */
export class ShingleIndex implements DuplicateIndex {
  readonly #threshold: number;
  readonly #bands: readonly KeyTable[];
  readonly #shingles: ValueStore;
  readonly #counts = new Words();
  readonly #rows = new Words();
  /** The rows with short texts. */
  readonly #texts = new TextIndex();
  readonly #found: Uint32Array;

  constructor(threshold: number, options: ValueStoreOptions) {
    this.#threshold = threshold;
    const { bands } = minHashShape(threshold);
    this.#bands = Array.from({ length: bands }, () => new KeyTable());
    this.#found = new Uint32Array(bands * MOST_ROWS);
    this.#shingles = new ValueStore(options);
  }

  find(signature: Signature): Match | undefined {
    if (signature.kind === 'text') return this.#texts.find(signature);
    if (signature.kind !== 'shingles') return undefined;
    let last = -1;
    for (const entry of this.#sharingBand(signature.keys)) {
      if (entry === last) continue;
      last = entry;
      const similarity = this.#similarity(entry, signature.values);
      if (similarity > 0) return { row: this.#rows.at(entry), similarity };
    }
    return undefined;
  }

  add(signature: Signature, row: number): void {
    if (signature.kind === 'text') this.#texts.add(signature, row);
    if (signature.kind !== 'shingles') return;
    const { keys, values } = signature;
    for (const [band, table] of this.#bands.entries()) table.add(keys[band] ?? 0);
    this.#shingles.add(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    this.#counts.push(values.length);
    this.#rows.push(row);
  }

  [Symbol.dispose](): void {
    this.#shingles[Symbol.dispose]();
  }

  /** The entries that share a band, ascending, as often as they share one. */
  #sharingBand(keys: Uint32Array): Uint32Array {
    let touched = 0;
    for (let band = 0; band < keys.length; band++) touched |= this.#bands[band]?.touch(keys[band] ?? 0) ?? 0;
    if (touched === 0) return this.#found.subarray(0, 0);
    let end = 0;
    for (let band = 0; band < keys.length; band++) {
      end = this.#bands[band]?.collect(keys[band] ?? 0, this.#found, end) ?? 0;
    }
    const found = this.#found.subarray(0, end);
    if (end > 1) found.sort();
    return found;
  }

  /** The Jaccard similarity; 0 if it is below the threshold. */
  #similarity(entry: number, shingles: Uint32Array): number {
    const count = this.#counts.at(entry);
    const [fewer, more] = count < shingles.length ? [count, shingles.length] : [shingles.length, count];
    if (fewer / more < this.#threshold) return 0;
    return jaccard(new Uint32Array(this.#shingles.read(entry).buffer), shingles, this.#threshold);
  }
}

/** The Jaccard similarity of two sorted lists of distinct numbers; 0 if it is below the threshold. */
function jaccard(a: Uint32Array, b: Uint32Array, threshold: number): number {
  const total = a.length + b.length;
  // With s numbers shared the similarity is s / (total - s): so many of each list may be missing in the other.
  const spare = Math.floor(total - (2 * threshold * total) / (1 + threshold) + 1);
  let [shared, at, other] = [0, 0, 0];
  while (at < a.length && other < b.length) {
    const x = a[at] ?? 0;
    const y = b[other] ?? 0;
    if (x === y) shared++;
    if (x <= y) at++;
    if (y <= x) other++;
    if (at + other - 2 * shared > spare) return 0;
  }
  const similarity = shared / (total - shared);
  return similarity >= threshold ? similarity : 0;
}
