import { type Call, type CallOutcome, DataDesignerError, isOutOfCredit, type Tries } from '@data-designer/core';
import { type Clock, systemClock } from '../admission/clock.ts';
import { ControlRequest } from './control-request.ts';
import { OUTAGE_MS, outageSignOf, SHORTEST_OUTAGE_MS } from './outage-sign.ts';
import { EndpointRecovery } from './endpoint-recovery.ts';
import { NO_REQUEST, ONE_REQUEST, withForAll } from './paid-tries.ts';
import { RefusalMemory } from './refusal-memory.ts';

/** The endpoint works on a request that is in flight for longer than this: refusals come sooner. */
const SOON_REFUSED_MS = 5000;
/** While the endpoint has answered no call, at most this many failed calls are tried again; the others wait for them. */
const MOST_RETRIED = 8;
/** How much longer an outage may take for each call that fails while no other one is to be sent. */
const OUTAGE_PER_CALL_MS = 10_000;

/** How a call can end: an outcome, or a failure. */
export type CallEnd = CallOutcome | DataDesignerError;

/** What a call is identified by. */
type CallKey = object;

/** How a call failed. `absent`: nothing ever came back. `silent`: timeout. `limited`: too many requests. */
export type FailureKind = 'absent' | 'silent' | 'limited' | 'failed';

/** Tells an endpoint that fails every call from one that fails some: calls to the first end at once. */
export class EndpointHealth {
  /** Calls that wait for the endpoint to answer again. */
  readonly recovery = new EndpointRecovery();
  readonly refusals = new RefusalMemory();
  readonly control: ControlRequest;
  readonly #clock: Pick<Clock, 'now'>;
  #answers = 0;
  #pausedUntil = 0;
  #askedPauseMs = 0;
  #askedUntil: number | undefined;
  #refusedSince: number | undefined;
  #servedEarlier = false;
  /** Requests in flight by the time at which they were sent, the oldest first. */
  readonly #inFlight = new Set<{ readonly since: number; readonly call: CallKey }>();
  /** Calls that failed before the first answer and are tried again. */
  readonly #retried = new Set<CallKey>();
  /** Calls that failed, or were refused, before the first answer. */
  readonly #failed = new Set<CallKey>();
  /** Calls that failed or were refused since the last answer, apart from rate limits, and the time of the first one. */
  readonly #failing = new Set<CallKey>();
  #failingSince: number | undefined;
  readonly #waiting = new Set<{ request: Call | undefined; readonly wake: () => void }>();
  #end: CallEnd | undefined;

  constructor(clock: Pick<Clock, 'now'> = systemClock) {
    this.#clock = clock;
    this.control = new ControlRequest(clock);
  }

  /** Counts a request of a call that is sent; call the returned function when it has ended. */
  begin(call: CallKey = {}): () => void {
    const request = { since: this.#clock.now(), call };
    this.#inFlight.add(request);
    return () => this.#inFlight.delete(request);
  }

  /** Whether a request has been in flight for at least this many ms. */
  isBusyFor(ms: number): boolean {
    for (const { since } of this.#inFlight) return this.#clock.now() - since >= ms;
    return false;
  }

  /** Records an answer, and the number of its request. */
  answered(request = this.recovery.sent()): void {
    this.#answers++;
    this.#refusedSince = undefined;
    this.#failing.clear();
    this.#failingSince = undefined;
    this.control.answered();
    this.recovery.answered(request);
    if (this.#failed.size === 0) return;
    this.#failed.clear();
    this.#retried.clear();
    this.#wake();
  }

  /** Records a 429, and for how many ms the endpoint asks not to be called. */
  refused(pauseMs = 0): void {
    const until = this.#clock.now() + pauseMs;
    if (pauseMs > 0 && until > this.#pausedUntil) {
      this.#askedPauseMs = pauseMs;
      this.#askedUntil = Date.now() + pauseMs;
    }
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
    this.#refusedSince ??= this.#clock.now();
  }

  /** Records that the journal holds an answer of an earlier run. */
  servedEarlier(): void {
    this.#servedEarlier = true;
  }

  /** Records a failed attempt that is made again; a rate limit is bounded by admission and holds up no other call. */
  failed(call: CallKey, { isLimit }: { readonly isLimit: boolean }): void {
    if (this.#answers > 0) return;
    this.#failed.add(call);
    if (!isLimit && this.#retried.size < MOST_RETRIED) this.#retried.add(call);
  }

  /** Records the end of a call: another one may be tried in its place. */
  over(call: CallKey): void {
    this.recovery.over(call);
    if (this.#retried.delete(call)) this.#wake();
  }

  /** Records a failure that may be that of every call; returns how many calls have failed since the last answer. */
  failing(call: CallKey): number {
    this.#failingSince ??= this.#clock.now();
    return this.#failing.add(call).size;
  }

  /**
   * For how long the endpoint may be down, from the first failure after its last answer. If all calls that it has got
   * fail, and no other one `isWanted`, the failure may concern these calls alone: the fewer they are, the likelier. A
   * control request that fails speaks against it.
   */
  outageMs(longestMs: number, isWanted: boolean): number {
    const ownMs = Math.max(SHORTEST_OUTAGE_MS, this.#failing.size * OUTAGE_PER_CALL_MS);
    const isOwn = ownMs < longestMs && !this.control.isFailing && this.hasFailingAlone(isWanted);
    return isOwn ? ownMs : longestMs;
  }

  /** Whether all calls that the endpoint has got fail, and no other one `isWanted`. */
  hasFailingAlone(isWanted: boolean): boolean {
    return !isWanted && [...this.#inFlight].every(({ call }) => this.#failing.has(call));
  }

  /** Whether as many calls have failed since the last answer as are tried at a time. */
  get hasManyFailing(): boolean {
    return this.#failing.size >= MOST_RETRIED;
  }

  /** Whether a call may be tried now: an endpoint that has answered no call yet gets few to fail. */
  admits(call: CallKey): boolean {
    return this.#end !== undefined || this.#retried.size < MOST_RETRIED || this.#retried.has(call);
  }

  /**
   * Resolves when a call may be tried; rejects when the signal is aborted first. `request` is what it asks if it has asked
   * nothing yet.
   */
  async admitted(call: CallKey, signal: AbortSignal, request?: Call): Promise<void> {
    while (!this.admits(call)) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const onAbort = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      const waiting = { request, wake: resolve };
      this.#waiting.add(waiting);
      await promise.finally(() => {
        this.#waiting.delete(waiting);
        signal.removeEventListener('abort', onAbort);
      });
    }
  }

  /**
   * A request that has not been sent, of a call that waits while the calls that are tried fail; each time another one. It
   * is the one that came last: those of the rows beside a prompt that always fails may be like it.
   */
  takeUntried(): Call | undefined {
    const waiting = [...this.#waiting].findLast(({ request }) => request);
    const request = waiting?.request;
    if (waiting) waiting.request = undefined;
    return request;
  }

  /** The end of every further call, without a request; undefined while calls may be sent. */
  get end(): CallEnd | undefined {
    return this.#end;
  }

  /** From now on every call ends with this refusal. */
  refuseAll(outcome: CallOutcome): void {
    const { askedUntil } = outcome.tries ?? {};
    const tries = askedUntil === undefined ? NO_REQUEST : { ...NO_REQUEST, askedUntil };
    if (!(this.#end instanceof DataDesignerError)) this.#end = { ...outcome, tries };
    this.#wake();
  }

  /** From now on every call fails like this one; returns the failure of this one, which has its own tries. */
  failAll(failure: DataDesignerError, tries: Tries = ONE_REQUEST): DataDesignerError {
    const down = this.#isDead && this.#answers > 0 ? { downSeconds: Math.round(this.failingMs / 1000) } : {};
    if (!(this.#end instanceof DataDesignerError)) this.#end = withForAll(failure, { tries: NO_REQUEST, ...down });
    this.#wake();
    return withForAll(failure, { tries, ...down });
  }

  /** Whether the endpoint has answered any call, in this run or an earlier one. */
  get hasServed(): boolean {
    return this.#answers > 0 || this.#servedEarlier;
  }

  /** Milliseconds since the first 429 after the last answer; 0 if there was none. */
  get refusingMs(): number {
    return this.#refusedSince === undefined ? 0 : this.#clock.now() - this.#refusedSince;
  }

  /** The number of answers. */
  get answers(): number {
    return this.#answers;
  }

  /**
   * Whether the endpoint has answered, in this run or an earlier one, but no call since it had given this many answers, and
   * has failed for less than the time of an outage.
   */
  isDownSince(answers: number, outageMs: number): boolean {
    return this.hasServed && answers === this.#answers && this.failingMs < outageMs;
  }

  /** Milliseconds since the first failure after the last answer; 0 if there was none. */
  get failingMs(): number {
    return this.#failingSince === undefined ? 0 : this.#clock.now() - this.#failingSince;
  }

  /** Whether an endpoint that fails may answer again: few have failed, if it has answered only an earlier run. */
  get mayAnswerAgain(): boolean {
    return this.#answers > 0 || (this.#servedEarlier && this.#failed.size < MOST_RETRIED);
  }

  /** The ms for which the endpoint still asks not to be called; 0 if it does not. */
  get pauseMs(): number {
    return Math.max(0, this.#pausedUntil - this.#clock.now());
  }

  /** Until when the endpoint asked not to be called, in ms since 1970; undefined if it has answered since. */
  get askedUntil(): number | undefined {
    return this.#refusedSince === undefined ? undefined : this.#askedUntil;
  }

  /** How long the endpoint asked not to be called, if that ended within the last `ms` or lasts still; 0 if not. */
  askedPauseMs(ms: number): number {
    return this.#pausedUntil > this.#clock.now() - ms ? this.#askedPauseMs : 0;
  }

  /** Whether a refusal that would meet every request may pass: the endpoint has answered in this run. */
  mayRecover(outcome: CallOutcome): boolean {
    return this.#answers > 0 && outageSignOf(outcome) !== undefined;
  }

  /**
   * Whether the failure of a call shows that every other call would fail too; one rule for all statuses. An endpoint
   * from which nothing ever came back serves nobody. One that has answered no call in this run does once as many calls
   * have failed as are tried at a time. One that has answered before does if as many calls have failed for the time of an
   * outage, or if it refuses with 429 for half of a call's deadline. A request that has been in flight for long speaks
   * against all but the first. Requests made before the rows, which have a negative row, show only that an endpoint is
   * absent.
   */
  servesNobody(
    how: FailureKind,
    { row, timeoutMs, deadlineMs = timeoutMs }: Pick<Call, 'row' | 'timeoutMs' | 'deadlineMs'>,
  ): boolean {
    if (how === 'absent') return true;
    if (row < 0 || (how !== 'silent' && this.isBusyFor(Math.min(SOON_REFUSED_MS, timeoutMs / 4)))) return false;
    if (how === 'limited' && this.refusingMs >= deadlineMs / 2) return true;
    if (this.#answers === 0 && this.#failed.size >= MOST_RETRIED) return true;
    return how !== 'limited' && this.#isDead;
  }

  /** Whether many calls, or a control request, have failed for the time of an outage, and none was answered. */
  get #isDead(): boolean {
    return (this.hasManyFailing || this.control.isFailing) && this.failingMs >= OUTAGE_MS;
  }

  #wake(): void {
    for (const { wake } of this.#waiting) wake();
  }
}

/**
 * Whether every other request would meet this refusal too: a rejected key, an account without money, a moved address.
 * A 403 or 404 may concern one request, so only its `verdict` counts. No refusal does that has been found to concern one.
 */
export function refusesAll(outcome: CallOutcome): boolean {
  const { status, verdict } = outcome;
  if (status < 300) return false;
  if (verdict === 'about-this') return false;
  return verdict === 'about-all' || status < 400 || status === 401 || isOutOfCredit(outcome);
}
