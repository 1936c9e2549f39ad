import type { ToolCallResult } from './tool-session.ts';

/** How a call in flight was ended from this side. */
export type Ending = 'timed-out' | 'disconnected' | 'aborted';

/** What became of a request: what the server said, or that it was given up here. */
export type Ended = ToolCallResult | { readonly kind: 'aborted'; readonly reason: string };

/** One request under way. The first to say what became of it is believed. */
export class InFlight {
  readonly ended: Promise<Ended>;
  /** Whether the answer's stream can be taken up again after a break. */
  resumable = false;
  #resolve: ((ended: Ended) => void) | undefined;
  #ending: Ending | undefined;
  #reason = '';
  #controller: AbortController | undefined;

  constructor() {
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
  }

  /** Aborted when the call is ended from this side, not when it is answered. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ending) this.#controller.abort(new Error(this.#reason));
    }
    return this.#controller.signal;
  }

  get isUnderWay(): boolean {
    return this.#resolve !== undefined;
  }

  /** How it was ended from this side; undefined where it was not. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** Why it was ended from this side. */
  get reason(): string {
    return this.#reason;
  }

  /** Whether its request certainly did not reach the server, known once that was tried. */
  isUnsent: Promise<boolean> = Promise.resolve(false);

  /** The server has spoken. */
  answer(answer: ToolCallResult): void {
    this.#resolve?.(answer);
    this.#resolve = undefined;
  }

  end(ending: Ending, reason: string): void {
    if (this.#resolve === undefined) return;
    this.#ending = ending;
    this.#reason = reason;
    this.#resolve({ kind: ending, reason });
    this.#resolve = undefined;
    this.#controller?.abort(new Error(reason));
  }
}
