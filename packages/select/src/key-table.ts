import { Words } from './words.ts';

const FIRST_SLOTS = 1024;
/** The largest part of the slots that is in use. */
const MOST_FILLED = 0.75;

/**
 * Rows by a key of 32 bits, several rows for a key: open addressing with linear probing. Row numbers count up from 0
 * without gaps. Takes 4 bytes for each key, and 5 to 11 for its slot.
 */
export class KeyTable {
  readonly #keys = new Words();
  /** Row numbers plus one; 0 is free. */
  #slots = new Uint32Array(FIRST_SLOTS);

  /** Adds the next row. */
  add(key: number): void {
    this.#keys.push(key);
    if (this.#keys.length > this.#slots.length * MOST_FILLED) this.#grow();
    else this.#place(key, this.#keys.length);
  }

  /** Appends the rows of a key to a list. */
  collect(key: number, rows: number[]): void {
    const slots = this.#slots;
    const last = slots.length - 1;
    for (let at = key & last; ; at = (at + 1) & last) {
      const entry = slots[at] ?? 0;
      if (entry === 0) return;
      if (this.#keys.at(entry - 1) === key) rows.push(entry - 1);
    }
  }

  #place(key: number, entry: number): void {
    const slots = this.#slots;
    const last = slots.length - 1;
    let at = key & last;
    while (slots[at] !== 0) at = (at + 1) & last;
    slots[at] = entry;
  }

  #grow(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let row = 0; row < this.#keys.length; row++) this.#place(this.#keys.at(row), row + 1);
  }
}
