/** Positions of rows that are collected one by one, in four bytes each. */
export class RowNumbers {
  #numbers = new Uint32Array(1024);
  #length = 0;

  add(position: number): void {
    if (this.#length === this.#numbers.length) {
      const longer = new Uint32Array(this.#numbers.length * 2);
      longer.set(this.#numbers);
      this.#numbers = longer;
    }
    this.#numbers[this.#length++] = position;
  }

  all(): Uint32Array {
    return this.#numbers.subarray(0, this.#length);
  }
}
