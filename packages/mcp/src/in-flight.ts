/** How a call in flight was ended from this side. */
export type Ending = 'timed-out' | 'disconnected' | 'aborted';

/** One request under way on a session. The first to end it says why. */
export class InFlight {
  readonly #controller = new AbortController();
  #ending: Ending | undefined;
  #reason = '';
  /** Whether the answer's stream can be taken up again after a break. */
  resumable = false;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get ending(): Ending | undefined {
    return this.#ending;
  }

  get reason(): string {
    return this.#reason;
  }

  end(ending: Ending, reason: string): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    this.#reason = reason;
    this.#controller.abort(new Error(reason));
  }
}
