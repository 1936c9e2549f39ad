/** Values in the order of their keys: `shift` removes the one with the lowest. */
export class MinHeap<Value> {
  readonly #keys: number[] = [];
  readonly #values: Value[] = [];

  get length(): number {
    return this.#keys.length;
  }

  /** The lowest key; Infinity without values. */
  get lowest(): number {
    return this.#keys[0] ?? Infinity;
  }

  push(key: number, value: Value): void {
    let at = this.#keys.length;
    for (let parent = (at - 1) >> 1; at > 0 && this.#keyAt(parent) > key; parent = (at - 1) >> 1) {
      this.#move(parent, at);
      at = parent;
    }
    this.#keys[at] = key;
    this.#values[at] = value;
  }

  shift(): Value | undefined {
    const first = this.#values[0];
    const key = this.#keys.pop();
    const value = this.#values.pop();
    if (key === undefined || value === undefined || this.#keys.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const next = this.#keyAt(left + 1) < this.#keyAt(left) ? left + 1 : left;
      if (this.#keyAt(next) >= key) break;
      this.#move(next, at);
      at = next;
    }
    this.#keys[at] = key;
    this.#values[at] = value;
    return first;
  }

  #keyAt(at: number): number {
    return this.#keys[at] ?? Infinity;
  }

  #move(from: number, to: number): void {
    this.#keys[to] = this.#keyAt(from);
    this.#values[to] = this.#values[from] as Value;
  }
}
