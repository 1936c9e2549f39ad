import { setTimeout as sleep } from 'node:timers/promises';

/** So many other calls, sent and answered after a refusal, show that the endpoint works. */
const PASSING_ANSWERS = 3;
/** The most answers whose requests are remembered. */
const MOST_ANSWERS = 4 * PASSING_ANSWERS;
/** The longest wait between two probes of an endpoint that is down. */
const PROBE_MS = 5000;

/** What a call waits for before it is made again. */
export interface RecoveryWait {
  /** The longest wait. */
  readonly delayMs: number;
  /** Whether the endpoint has answered since as the call waits for; asked after each answer. */
  readonly isOver: () => boolean;
  /** Whether the endpoint answers nobody, so that one call has to ask it. */
  readonly isDown: boolean;
  /** Calls that are woken start within this time, each at a random moment. */
  readonly spreadMs: number;
  /** Ends the wait early: it rejects with an `AbortError`. */
  readonly signal: AbortSignal;
}

/** Calls that wait until their endpoint answers others. While it is down, one of them asks it often. */
export class EndpointRecovery {
  #sent = 0;
  /** The numbers of the latest requests that were answered, in order. */
  #answered: number[] = [];
  #probing: object | undefined;
  readonly #waiting = new Set<{ readonly isOver: () => boolean; readonly wake: () => void }>();

  /** Counts a request; returns its number. */
  sent(): number {
    return ++this.#sent;
  }

  /** The number of the latest request. */
  get latest(): number {
    return this.#sent;
  }

  /** Records the answer to the request with this number. */
  answered(request: number): void {
    if (request > (this.#answered[0] ?? 0) || this.#answered.length < MOST_ANSWERS) {
      this.#answered = [...this.#answered, request].toSorted((a, b) => a - b).slice(-MOST_ANSWERS);
    }
    this.#probing = undefined;
    for (const { isOver, wake } of this.#waiting) if (isOver()) wake();
  }

  /** How many times enough requests that were sent after this one have been answered; at most four. */
  passesSince(request: number): number {
    return Math.floor(this.#answered.filter((one) => one > request).length / PASSING_ANSWERS);
  }

  /** Records the end of a call: another one may probe. */
  over(call: object): void {
    if (this.#probing === call) this.#probing = undefined;
  }

  /** Resolves when the call may be made again: after its delay, or soon after the endpoint has answered others. */
  async wait(call: object, { delayMs, isOver, isDown, spreadMs, signal }: RecoveryWait): Promise<void> {
    if (isDown) this.#probing ??= call;
    const longestMs = this.#probing === call ? Math.min(delayMs, Math.random() * PROBE_MS) : delayMs;
    const until = performance.now() + longestMs;
    const woken = new AbortController();
    const waiting = { isOver, wake: () => woken.abort() };
    this.#waiting.add(waiting);
    try {
      await sleep(longestMs, undefined, { signal: AbortSignal.any([signal, woken.signal]) });
      return;
    } catch (thrown) {
      if (signal.aborted || !woken.signal.aborted) throw thrown;
    } finally {
      this.#waiting.delete(waiting);
    }
    const leftMs = Math.max(0, until - performance.now());
    await sleep(Math.min(leftMs, Math.random() * spreadMs), undefined, { signal });
  }
}
