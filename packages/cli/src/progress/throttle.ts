/** Lets one value pass per interval and holds the latest of the others. */
export class Throttle<Value> {
  readonly #everyMs: number;
  #nextAt: number;
  #held: Value | undefined;

  /** The first value may pass at `firstAt`, in milliseconds of the clock that `offer` is given. */
  constructor(everyMs: number, firstAt: number) {
    this.#everyMs = everyMs;
    this.#nextAt = firstAt;
  }

  /** Returns the value if it may pass at this time, else holds it. */
  offer(value: Value, time: number): Value | undefined {
    this.#held = value;
    if (time < this.#nextAt) return undefined;
    this.#nextAt = time + this.#everyMs;
    return this.flush();
  }

  /** Returns the held value, once. */
  flush(): Value | undefined {
    const held = this.#held;
    this.#held = undefined;
    return held;
  }
}
