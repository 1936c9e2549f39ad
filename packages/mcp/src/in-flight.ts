import type { ToolCallResult } from './tool-session.ts';

/** How this side ended a call in flight. */
export type Ending = 'timed-out' | 'disconnected' | 'aborted';

/** The end of a request: the server's answer, or the reason why this side gave it up. */
export type RequestEnd = ToolCallResult | { readonly kind: 'aborted'; readonly reason: string };

/** What is known of a request when it is sent. */
type InFlightOptions = Pick<InFlight, 'deadline' | 'mayRunTwice' | 'mayBeDeep' | 'headers'>;

/** One request in flight. The first end counts. */
export class InFlight {
  readonly ended: Promise<RequestEnd>;
  /** Whether the stream of the answer can be resumed after a break. */
  resumable = false;
  /** When the caller gives up at the latest, a time of `performance.now()`. */
  readonly deadline: number;
  /** Whether the request may be sent again although the server may have acted on it. */
  readonly mayRunTwice: boolean;
  /** Whether its result may be nested to any depth. */
  readonly mayBeDeep: boolean;
  /** Headers of its HTTP request. */
  readonly headers: Readonly<Record<string, string>>;
  #resolve: ((ended: RequestEnd) => void) | undefined;
  #ending: Ending | undefined;
  #reason = '';
  #controller: AbortController | undefined;

  constructor({
    deadline = Infinity,
    mayRunTwice = false,
    mayBeDeep = false,
    headers = {},
  }: Partial<InFlightOptions> = {}) {
    this.deadline = deadline;
    this.mayRunTwice = mayRunTwice;
    this.mayBeDeep = mayBeDeep;
    this.headers = headers;
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
  }

  /** Aborted when this side ends the call, not when the server answers it. */
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

  /** Whether the request certainly did not reach the server; settles once sending was tried. */
  isUnsent: Promise<boolean> = Promise.resolve(false);

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
