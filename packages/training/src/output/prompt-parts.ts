/** What the table has for a prompt that is in several parts. */
const SHARED = 0xffff;

/** The part that each prompt is in, by its hash, in 20 to 40 bytes of memory. */
export class PromptParts {
  /** Places of an open-addressing table. */
  #hashes = new Float64Array(1024);
  /** 0 for a free place, else the number of the part plus 1, or `SHARED`. */
  #states = new Uint16Array(1024);
  size = 0;
  shared = 0;

  note(hash: number, part: number): void {
    const at = this.#placeOf(hash);
    const state = this.#states[at];
    if (state === 0) {
      this.#hashes[at] = hash;
      this.#states[at] = part + 1;
      if (++this.size * 2 > this.#states.length) this.#grow();
    } else if (state !== SHARED && state !== part + 1) {
      this.#states[at] = SHARED;
      this.shared++;
    }
  }

  #placeOf(hash: number): number {
    const { length } = this.#states;
    let at = hash % length;
    while (this.#states[at] !== 0 && this.#hashes[at] !== hash) at = (at + 1) % length;
    return at;
  }

  #grow(): void {
    const [hashes, states] = [this.#hashes, this.#states];
    this.#hashes = new Float64Array(hashes.length * 2);
    this.#states = new Uint16Array(states.length * 2);
    for (const [index, state] of states.entries()) {
      if (state === 0) continue;
      const at = this.#placeOf(hashes[index] ?? 0);
      this.#hashes[at] = hashes[index] ?? 0;
      this.#states[at] = state;
    }
  }
}
