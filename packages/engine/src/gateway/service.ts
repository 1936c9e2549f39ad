/** So long an endpoint that was there is waited for: a model server takes minutes to start again. */
const OUTAGE_MS = 300_000;

/** Whether an endpoint serves at all, from what its answers show: a request may fail alone, or with all others. */
export class Service {
  readonly #outageMs: number;
  #answers = 0;
  #answeredAt = 0;

  constructor(outageMs = OUTAGE_MS) {
    this.#outageMs = outageMs;
  }

  /** Notes that somebody was answered. */
  answered(): void {
    this.#answers++;
    this.#answeredAt = performance.now();
  }

  /** How many have been answered. */
  get answers(): number {
    return this.#answers;
  }

  /** Whether it has answered before, not long ago, and nobody since there were so many answers. */
  isDownSince(answers: number): boolean {
    return answers > 0 && answers === this.#answers && performance.now() - this.#answeredAt < this.#outageMs;
  }
}
