/** So long an endpoint that was there is waited for: a model server takes minutes to start again. */
const OUTAGE_MS = 300_000;

/** Whether an endpoint serves at all, from what its answers show: a request may fail alone, or with all others. */
export class Service {
  readonly #outageMs: number;
  #answers = 0;
  #answeredAt = 0;
  #refusedSince: number | undefined;
  #servedEarlier = false;
  /** Requests under way by when they were sent, the oldest first. */
  readonly #underWay = new Set<{ readonly since: number }>();

  constructor(outageMs = OUTAGE_MS) {
    this.#outageMs = outageMs;
  }

  /** Notes that a request goes out; the returned function that it has ended. */
  begin(): () => void {
    const request = { since: performance.now() };
    this.#underWay.add(request);
    return () => this.#underWay.delete(request);
  }

  /** Whether a request has been under way for so many ms: refusals come sooner. */
  isBusyFor(ms: number): boolean {
    for (const { since } of this.#underWay) return performance.now() - since >= ms;
    return false;
  }

  /** Notes that somebody was answered. */
  answered(): void {
    this.#answers++;
    this.#answeredAt = performance.now();
    this.#refusedSince = undefined;
  }

  /** Notes that somebody was told to come less often. */
  refused(): void {
    this.#refusedSince ??= performance.now();
  }

  /** Notes that an answer of an earlier run is at hand. */
  servedEarlier(): void {
    this.#servedEarlier = true;
  }

  /** Whether anybody was ever answered, in this run or an earlier one. */
  get hasServed(): boolean {
    return this.#answers > 0 || this.#servedEarlier;
  }

  /** For how many ms those who ask have been told to come less often, and nobody was answered; 0 if that is not so. */
  get refusingMs(): number {
    return this.#refusedSince === undefined ? 0 : performance.now() - this.#refusedSince;
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
