import type { DuplicateIndex, Match } from './duplicate-index.ts';
import type { Signature } from './features.ts';
import { KeyTable } from './key-table.ts';
import { BANDS } from './minhash.ts';
import { TextIndex } from './text-index.ts';
import { ValueStore, type ValueStoreOptions } from './value-store.ts';
import { Words } from './words.ts';

/** Finds rows whose sets of shingles are similar: rows that share a band key, confirmed by their Jaccard similarity. */
export class ShingleIndex implements DuplicateIndex {
  readonly #threshold: number;
  readonly #bands = Array.from({ length: BANDS }, () => new KeyTable());
  readonly #shingles: ValueStore;
  readonly #counts = new Words();
  readonly #rows = new Words();
  /** The rows with short texts. */
  readonly #texts = new TextIndex();
  readonly #found: number[] = [];

  constructor(threshold: number, options: ValueStoreOptions) {
    this.#threshold = threshold;
    this.#shingles = new ValueStore(options);
  }

  find(signature: Signature): Match | undefined {
    if (signature.kind === 'text') return this.#texts.find(signature);
    if (signature.kind !== 'shingles') return undefined;
    this.#found.length = 0;
    let touched = 0;
    for (let band = 0; band < BANDS; band++) touched |= this.#bands[band]?.touch(signature.keys[band] ?? 0) ?? 0;
    if (touched === 0) return undefined;
    for (let band = 0; band < BANDS; band++) this.#bands[band]?.collect(signature.keys[band] ?? 0, this.#found);
    if (this.#found.length > 1) this.#found.sort((a, b) => a - b);
    let last = -1;
    for (const entry of this.#found) {
      if (entry === last) continue;
      last = entry;
      const similarity = this.#similarity(entry, signature.values);
      if (similarity >= this.#threshold) return { row: this.#rows.at(entry), similarity };
    }
    return undefined;
  }

  add(signature: Signature, row: number): void {
    if (signature.kind === 'text') this.#texts.add(signature, row);
    if (signature.kind !== 'shingles') return;
    const { keys, values } = signature;
    for (let band = 0; band < BANDS; band++) this.#bands[band]?.add(keys[band] ?? 0);
    this.#shingles.add(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    this.#counts.push(values.length);
    this.#rows.push(row);
  }

  [Symbol.dispose](): void {
    this.#shingles[Symbol.dispose]();
  }

  /** The Jaccard similarity; 0 if the numbers of shingles rule out the threshold. */
  #similarity(entry: number, shingles: Uint32Array): number {
    const count = this.#counts.at(entry);
    const [fewer, more] = count < shingles.length ? [count, shingles.length] : [shingles.length, count];
    return fewer / more < this.#threshold ? 0 : jaccard(new Uint32Array(this.#shingles.read(entry).buffer), shingles);
  }
}

/** The Jaccard similarity of two sorted lists of distinct numbers. */
function jaccard(a: Uint32Array, b: Uint32Array): number {
  let shared = 0;
  for (let at = 0, other = 0; at < a.length && other < b.length;) {
    const [x, y] = [a[at] ?? 0, b[other] ?? 0];
    if (x === y) shared++;
    if (x <= y) at++;
    if (y <= x) other++;
  }
  return shared / (a.length + b.length - shared);
}
