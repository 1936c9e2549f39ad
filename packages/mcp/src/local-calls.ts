import type { CallOutcome } from '@data-designer/core';
import type { LocalAsk, ToolEnded } from './local-messages.ts';
import { failedCallOutcome } from './tool-outcome.ts';
import type { ToolRequest } from './tool-request.ts';
import { abortFailure, type ToolCallOptions } from './tool-session.ts';

interface Waiting {
  readonly resolve: (outcome: CallOutcome) => void;
  readonly reject: (failure: Error) => void;
  readonly settle: () => void;
}

/** Calls from the I/O thread to functions in another thread. */
export class LocalCalls {
  readonly #post: (ask: LocalAsk) => void;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;

  /** `post` sends a message to the thread; its outcomes go to `take`. */
  constructor(post: (ask: LocalAsk) => void) {
    this.#post = post;
  }

  /** Runs a function; rejects only with `run/aborted`, when the signal is aborted. */
  call(provider: string, request: ToolRequest, { timeoutMs, signal, row }: ToolCallOptions): Promise<CallOutcome> {
    if (signal?.aborted) return Promise.reject(abortFailure(signal));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#post({ kind: 'cancel-tool', id });
        this.#settle(id)?.reject(abortFailure(signal));
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.set(id, { resolve, reject, settle: () => signal?.removeEventListener('abort', abort) });
      this.#post({ kind: 'run-tool', id, provider, ...request, timeoutMs, row });
    });
  }

  /** Takes the outcome of a call; ignores the outcome of a call that was given up. */
  take({ id, status, body }: ToolEnded): void {
    const failure = status === 504 ? 'timeout' : 'tool';
    this.#settle(id)?.resolve(status === 200 ? { status, headers: {}, body } : failedCallOutcome(failure, body));
  }

  /** Ends all calls with a reason. */
  failAll(reason: string): void {
    for (const id of this.#waiting.keys()) this.#settle(id)?.resolve(failedCallOutcome('connection', reason));
  }

  /** Calls in flight. */
  get size(): number {
    return this.#waiting.size;
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.settle();
    return waiting;
  }
}
