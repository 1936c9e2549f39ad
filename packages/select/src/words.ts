/** Words of a chunk. */
const CHUNK = 0x10000;

/** A list of 32-bit words that grows without copying. */
export class Words {
  readonly #chunks: Uint32Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  at(index: number): number {
    return this.#chunks[index >>> 16]?.[index & 0xffff] ?? 0;
  }

  push(word: number): void {
    const chunk = (this.#chunks[this.#length >>> 16] ??= new Uint32Array(CHUNK));
    chunk[this.#length++ & 0xffff] = word;
  }

  set(index: number, word: number): void {
    const chunk = this.#chunks[index >>> 16];
    if (chunk) chunk[index & 0xffff] = word;
  }
}
