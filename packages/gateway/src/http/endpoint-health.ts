import type { DataDesignerError } from '@data-designer/core';

/** So long an endpoint that was there is waited for: a model server takes minutes to start again. */
const OUTAGE_MS = 300_000;
/** A request that has been under way for longer is being worked on. */
const SOON_REFUSED_MS = 5000;
/** While nobody was answered, so many calls that have failed are tried again; the others wait for what becomes of them. */
const MOST_PATIENTS = 8;

/** What a call is identified by. */
type CallKey = object;

/** How a call ended that was tried until its attempts or its time were used up. */
export interface GivenUp {
  /** `absent`: nothing ever came back. `silent`: no answer in time. `limited`: too many requests. */
  readonly how: 'absent' | 'silent' | 'limited' | 'failed';
  /** The times of the call. */
  readonly timeoutMs: number;
  readonly deadlineMs: number;
}

/** Whether an endpoint serves at all, from what its answers show: a request may fail alone, or with all others. */
export class EndpointHealth {
  readonly #outageMs: number;
  #answers = 0;
  #answeredAt = 0;
  #refusedSince: number | undefined;
  #servedEarlier = false;
  /** Requests under way by when they were sent, the oldest first. */
  readonly #underWay = new Set<{ readonly since: number }>();
  /** Calls that failed while nobody was answered and are tried again. */
  readonly #patients = new Set<CallKey>();
  /** Calls that failed, or were refused, while nobody was answered. */
  readonly #failed = new Set<CallKey>();
  #waiting: (() => void)[] = [];
  #end: DataDesignerError | undefined;

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
    if (this.#failed.size === 0) return;
    this.#failed.clear();
    this.#patients.clear();
    this.#wake();
  }

  /** Notes that somebody was told to come less often. */
  refused(): void {
    this.#refusedSince ??= performance.now();
  }

  /** Notes that an answer of an earlier run is at hand. */
  servedEarlier(): void {
    this.#servedEarlier = true;
  }

  /** Notes that an attempt of a call failed and is made again; a rate limit has places of its own and holds nobody up. */
  failed(call: CallKey, { isLimit }: { readonly isLimit: boolean }): void {
    if (this.#answers > 0) return;
    this.#failed.add(call);
    if (!isLimit && this.#patients.size < MOST_PATIENTS) this.#patients.add(call);
  }

  /** Notes that a call is over: another one may be tried in its place. */
  over(call: CallKey): void {
    if (this.#patients.delete(call)) this.#wake();
  }

  /** Whether a call may be tried now: an endpoint that has served nobody yet gets few calls to fail. */
  admits(call: CallKey): boolean {
    return this.#end !== undefined || this.#patients.size < MOST_PATIENTS || this.#patients.has(call);
  }

  /** Resolves when a call may be tried; rejects when a signal is aborted first. */
  async admitted(call: CallKey, signal: AbortSignal): Promise<void> {
    while (!this.admits(call)) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const onAbort = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(resolve);
      await promise.finally(() => signal.removeEventListener('abort', onAbort));
    }
  }

  /** What every further call is told without being sent; undefined while it may be sent. */
  get end(): DataDesignerError | undefined {
    return this.#end;
  }

  /** From now on every call is told this. */
  endWith(failure: DataDesignerError): void {
    this.#end ??= failure;
    this.#wake();
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

  /**
   * Whether a call that was given up shows that no other would fare better: the one rule for it, whatever the status. An
   * endpoint that has answered nobody in this run serves nobody once as many calls have failed as are tried at a time;
   * at once where nothing ever came back. One that is asked less often for half of a call's time, and answers nobody
   * meanwhile, is dry, though it has answered before. A request that is being worked on speaks against both.
   */
  servesNobody({ how, timeoutMs, deadlineMs }: GivenUp): boolean {
    if (how === 'absent') return true;
    const isBusy = how !== 'silent' && this.isBusyFor(Math.min(SOON_REFUSED_MS, timeoutMs / 4));
    if (isBusy) return false;
    if (how === 'limited' && this.refusingMs >= deadlineMs / 2) return true;
    return this.#answers === 0 && this.#failed.size >= MOST_PATIENTS;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
