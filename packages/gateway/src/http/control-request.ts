import type { Call } from '@data-designer/core';
import type { Clock } from '../admission/clock.ts';

/** The shortest time between two control requests. */
const CONTROL_MS = 8000;

/**
 * The smallest request that an endpoint has answered. When some calls fail and no others are sent, it is sent again: an
 * answer shows that the endpoint works, and that the failure concerns these calls. While the endpoint has answered none,
 * the request of a call that waits takes its place.
 */
export class ControlRequest {
  readonly #clock: Pick<Clock, 'now'>;
  #call: Call | undefined;
  #size = Infinity;
  #sentAt = -Infinity;
  #inFlight: { readonly call: Call; readonly end: PromiseWithResolvers<void> } | undefined;
  #passes = 0;
  #isFailing = false;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Remembers an answered request if request and answer are smaller than those of the one before. */
  remember(call: Call, answer: string): void {
    const size = call.body.length + answer.length;
    if (call.row < 0 || size >= this.#size) return;
    this.#size = size;
    this.#call = call;
  }

  /** The request, or `other` while nothing was answered, if it is to be sent now; call `ended` when it has ended. */
  take(other?: () => Call | undefined): Call | undefined {
    if (this.#inFlight || this.#clock.now() - this.#sentAt < CONTROL_MS) return undefined;
    const call = this.#call ?? other?.();
    if (call) this.#inFlight = { call, end: Promise.withResolvers<void>() };
    return call;
  }

  /** Resolves at the end of the request that is in flight; undefined without one. */
  get inFlight(): Promise<void> | undefined {
    return this.#inFlight?.end.promise;
  }

  /** Records the end of a control request. */
  ended(isAnswered: boolean): void {
    if (isAnswered) {
      this.#passes++;
      this.#call ??= this.#inFlight?.call;
    }
    this.#inFlight?.end.resolve();
    this.#inFlight = undefined;
    this.#sentAt = this.#clock.now();
    this.#isFailing = !isAnswered;
  }

  /** Records an answer to another request: the endpoint works. */
  answered(): void {
    this.#isFailing = false;
  }

  /** How many control requests were answered. */
  get passes(): number {
    return this.#passes;
  }

  /** Whether the last control request failed, and nothing was answered since: the endpoint is down. */
  get isFailing(): boolean {
    return this.#isFailing;
  }
}
