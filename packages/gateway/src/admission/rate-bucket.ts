const MINUTE_MS = 60_000;
/** The share of a minute's amount that may go at once: a timer may fire late, and the rate must not fall behind. */
const BURST = 1 / 240;

/**
 * An amount per minute, evenly spread. More than is there may be taken at once: the bucket then owes it, and is empty for
 * that much longer. Times are in milliseconds.
 */
export class RateBucket {
  #perMinute: number;
  #level: number;
  #at = -Infinity;
  #taken = 0;

  /** The bucket is full. */
  constructor(perMinute: number) {
    this.#perMinute = perMinute;
    this.#level = burstOf(perMinute);
  }

  /** The amounts taken since the last call. */
  readTaken(): number {
    const taken = this.#taken;
    this.#taken = 0;
    return taken;
  }

  get perMinute(): number {
    return this.#perMinute;
  }

  /** Changes the rate; what is owed stays. A rate of 0 grants nothing. */
  setRate(perMinute: number, time: number): void {
    if (perMinute === this.#perMinute) return;
    this.#fill(time);
    this.#perMinute = perMinute;
    this.#level = Math.min(this.#level, burstOf(perMinute));
  }

  /** Milliseconds until this amount may be taken, 0 if it may now; an amount above the burst waits for a full bucket. */
  waitMs(amount: number, time: number): number {
    this.#fill(time);
    if (this.#perMinute <= 0) return Infinity;
    const missing = Math.min(amount, burstOf(this.#perMinute)) - this.#level;
    // Sums of fractions may miss a whole number by a trifle.
    return missing <= 1e-6 ? 0 : missing / this.#perMs;
  }

  /** Takes an amount; a negative one gives it back. */
  take(amount: number, time: number): void {
    this.#fill(time);
    this.#level = Math.min(burstOf(this.#perMinute), this.#level - amount);
    this.#taken += amount;
  }

  /** A burst and what flows in during the minute after it stay within the amount of a minute. */
  get #perMs(): number {
    return Math.max(0, this.#perMinute - burstOf(this.#perMinute) + 1) / MINUTE_MS;
  }

  #fill(time: number): void {
    const passed = this.#at === -Infinity ? 0 : Math.max(0, time - this.#at);
    this.#level = Math.min(burstOf(this.#perMinute), this.#level + passed * this.#perMs);
    this.#at = Math.max(this.#at, time);
  }
}

function burstOf(perMinute: number): number {
  return Math.max(1, Math.floor(perMinute * BURST));
}
