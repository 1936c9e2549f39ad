import { mix } from './mix.ts';
import type { Tokens } from './tokens.ts';

const HIGH_FACTOR = 0x27d4eb2f;
const LOW_FACTOR = 0x165667b1;

/** The hashes of a text's n-grams, two of 32 bits for each, in order. The next text overwrites them. */
export class NGrams {
  count = 0;
  high = new Int32Array(1024);
  low = new Int32Array(1024);

  /** Hashes each run of `size` tokens; a text with fewer tokens has no n-gram. */
  read(tokens: Tokens, size: number): this {
    this.count = Math.max(0, tokens.count - size + 1);
    if (this.count > this.high.length) {
      this.high = new Int32Array(tokens.high.length);
      this.low = new Int32Array(tokens.low.length);
    }
    for (let at = 0; at < this.count; at++) this.#hash(tokens, { at, size });
    return this;
  }

  #hash({ high, low }: Tokens, { at, size }: { at: number; size: number }): void {
    let [a, b] = [size, size];
    for (let token = at; token < at + size; token++) {
      a = Math.imul(a, HIGH_FACTOR) + (high[token] ?? 0);
      b = Math.imul(b, LOW_FACTOR) + (low[token] ?? 0);
    }
    this.high[at] = mix(a | 0);
    this.low[at] = mix(b | 0);
  }
}
