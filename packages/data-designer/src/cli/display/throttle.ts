/** Lets through what comes, but no more often than once in so many ms; the latest that was held back is kept. */
export class Thinned<Value> {
  readonly #everyMs: number;
  #nextAt: number;
  #held: Value | undefined;

  /** The first may pass at `from`, in ms of the clock that `take` is told. */
  constructor(everyMs: number, from: number) {
    this.#everyMs = everyMs;
    this.#nextAt = from;
  }

  /** The value if it is its time, else undefined. */
  take(value: Value, time: number): Value | undefined {
    this.#held = value;
    if (time < this.#nextAt) return undefined;
    this.#nextAt = time + this.#everyMs;
    return this.rest();
  }

  /** What was held back since the last one passed, once. */
  rest(): Value | undefined {
    const held = this.#held;
    this.#held = undefined;
    return held;
  }
}
