import type { DuplicateIndex, Match } from './duplicate-index.ts';
import type { Signature } from './features.ts';
import { KeyTable, MOST_ROWS } from './key-table.ts';
import { TEXT_HASH_WORDS } from './text-hash.ts';
import { Words } from './words.ts';

/** Finds rows with equal texts, by the hash of the text. */
export class TextIndex implements DuplicateIndex {
  readonly #table = new KeyTable();
  /** The words of each hash but the first, which is the key. */
  readonly #hashes = new Words();
  readonly #rows = new Words();
  readonly #found = new Uint32Array(MOST_ROWS);

  find({ keys }: Signature): Match | undefined {
    const end = this.#table.collect(keys[0] ?? 0, this.#found, 0);
    for (const entry of this.#found.subarray(0, end)) {
      if (this.#equals(entry, keys)) return { row: this.#rows.at(entry), similarity: 1 };
    }
    return undefined;
  }

  add({ keys }: Signature, row: number): void {
    this.#table.add(keys[0] ?? 0);
    for (let word = 1; word < TEXT_HASH_WORDS; word++) this.#hashes.push(keys[word] ?? 0);
    this.#rows.push(row);
  }

  [Symbol.dispose](): void {}

  #equals(entry: number, hash: Uint32Array): boolean {
    const start = entry * (TEXT_HASH_WORDS - 1) - 1;
    for (let word = 1; word < TEXT_HASH_WORDS; word++) {
      if (this.#hashes.at(start + word) !== hash[word]) return false;
    }
    return true;
  }
}
