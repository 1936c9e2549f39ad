import { Words } from './words.ts';

const FIRST_SLOTS = 1024;
/** The largest part of the slots that is in use. */
const MOST_FILLED = 0.75;
/** A key of more rows tells nothing about them, such as the key of a passage that all texts share. */
export const MOST_ROWS = 256;

/**
 * Rows by a key of 32 bits, up to 256 rows for a key: open addressing with linear probing. Row numbers count up from 0
 * without gaps. Takes 4 bytes for each key, and 5 to 11 for its slot.
 */
export class KeyTable {
  readonly #keys = new Words();
  /**
   * A slot holds the row number plus one in its low bits, and the high bits of the key in the others, so that a key
   * that differs is seldom read from `keys`. 0 is free. The low bits of the key choose the first slot to look at.
   */
  #slots = new Uint32Array(FIRST_SLOTS);

  /** Adds the next row. */
  add(key: number): void {
    this.#keys.push(key);
    if (this.#keys.length > this.#slots.length * MOST_FILLED) this.#grow();
    else this.#place(key, this.#keys.length);
  }

  /** Reads the first slot of a key, so that the processor fetches the slots of several tables at once. */
  touch(key: number): number {
    return this.#slots[key & (this.#slots.length - 1)] ?? 0;
  }

  /** Writes the rows of a key to a list from a position, the first 256 if there are more; returns the list's end. */
  collect(key: number, rows: Uint32Array, end: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    for (let at = key & last; ; at = (at + 1) & last) {
      const slot = slots[at] ?? 0;
      if (slot === 0) return end;
      if (((slot ^ key) & ~last) !== 0) continue;
      const row = (slot & last) - 1;
      if (this.#keys.at(row) === key) rows[end++] = row;
    }
  }

  #place(key: number, number: number): void {
    const slots = this.#slots;
    const last = slots.length - 1;
    const tag = key & ~last;
    let same = 0;
    let at = key & last;
    for (let slot = slots[at] ?? 0; slot !== 0; slot = slots[at] ?? 0) {
      if ((slot & ~last) === tag && this.#keys.at((slot & last) - 1) === key && ++same === MOST_ROWS) return;
      at = (at + 1) & last;
    }
    slots[at] = tag | number;
  }

  #grow(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let row = 0; row < this.#keys.length; row++) this.#place(this.#keys.at(row), row + 1);
  }
}
