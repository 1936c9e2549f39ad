import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, type CallOutcome, DataDesignerError, type PaidTokens } from '@data-designer/core';
import type { Admission, Permit } from '../admission/admission.ts';
import { type Ending, OTHER } from '../admission/permit-source.ts';
import { tokensOfAnswer } from '../admission/answer-cost.ts';
import { type Attempt, AttemptJudge, LONGEST_PAUSE_MS, type RetryPolicy, type Transport } from './attempt-judge.ts';
import type { CallEnd } from './endpoint-health.ts';
import { TOO_MANY_REQUESTS } from './outage-sign.ts';
import { retryAfterOf } from './retry-after.ts';

/** What a call is sent with: its permit, the queue for the permit of a retry, and the signals that end it. */
export interface SendOptions {
  readonly permit: Permit;
  readonly admission: Admission;
  /** The position of a retry in the queue: the lowest goes first. */
  readonly priority: number;
  readonly signal: AbortSignal;
  /** Aborted when nothing more may be sent for the row of the call; absent for calls of no row. */
  readonly rowOver?: AbortSignal | undefined;
  /** Aborted when nothing new may be sent: a call that waits for a retry fails with the reason. */
  readonly paused: AbortSignal;
  /** Called with every response, refusals too, before the permit of its request is released. */
  readonly onOutcome?: (outcome: CallOutcome) => void;
}

/** Delays 2, 4, 8 s, at most 60 s (as in NeMo Data Designer), each drawn from 0 up: full jitter. */
export const RETRY_POLICY: RetryPolicy = { baseMs: 2000, maxMs: 60_000, maxAttempts: 4 };

/** The time limit of a control request. */
const CONTROL_TIMEOUT_MS = 60_000;

/** When to stop trying: by policy, after a time, or because either signal is aborted. */
interface RetryOptions<Outcome> extends Pick<SendOptions, 'signal' | 'paused'> {
  readonly policy: RetryPolicy;
  /** For one attempt. */
  readonly timeoutMs: number;
  /** For all attempts and the waits between them; `timeoutMs` unless given. */
  readonly deadlineMs?: number | undefined;
  /** The end of a call that was asked to wait for longer than the time it has left; undefined if it is to wait. */
  readonly onLongWait?: (end: Outcome, waitMs: number) => Outcome | undefined;
  /** Whether the endpoint is down: a wait without a time that it asked for then ends within the deadline. */
  readonly isDown?: () => boolean;
  /** Waits for a retry; `wasAsked` if the endpoint named the time. */
  readonly wait?: (delayMs: number, wasAsked: boolean) => Promise<void>;
}

/**
 * Sends a call until it is answered, finally refused, or its time is up. It holds a permit while a request is in
 * flight, and none while it waits for a retry. Throws the failures that `transport` makes, and `run/aborted`; the
 * outcome has `tries` if the call took more than one request.
 */
export async function sendWithRetries(call: Call, transport: Transport, options: SendOptions): Promise<CallOutcome> {
  const { signal, paused } = options;
  const { policy = RETRY_POLICY } = transport;
  const { timeoutMs, deadlineMs } = call;
  const retried = new RetriedCall(call, transport, options);
  try {
    await retried.begin();
    const attempt = (attemptMs: number, remainingMs: number) => retried.tryOnce(attemptMs, remainingMs);
    const end = await retrying(attempt, {
      policy,
      timeoutMs,
      deadlineMs,
      signal,
      paused,
      onLongWait: (last, waitMs) => retried.mustWait(last, waitMs),
      isDown: () => retried.judge.recovery?.isDown === true,
      wait: (waitMs, wasAsked) => retried.wait(waitMs, wasAsked),
    });
    if (end instanceof DataDesignerError) throw end;
    return withTries(end, retried.judge);
  } catch (thrown) {
    throw failureOf(thrown, paused);
  } finally {
    transport.health?.over(retried);
  }
}

/**
 * Tries until an attempt is done, the attempts that count are used up, or the next would start after the deadline. An
 * attempt that times out is made once more. If one attempt may take the whole deadline, the deadline starts anew for
 * it, since one hanging connection would fail the call. Rejects with an `AbortError` when a wait is aborted.
 */
export async function retrying<Outcome>(
  tryOnce: (attemptMs: number, remainingMs: number) => Promise<Attempt<Outcome>>,
  { policy, timeoutMs, deadlineMs = timeoutMs, signal, paused, onLongWait, isDown, wait }: RetryOptions<Outcome>,
): Promise<Outcome> {
  const waitFor = wait ?? ((waitMs) => sleep(waitMs, undefined, { signal: AbortSignal.any([signal, paused]) }));
  let deadline = performance.now() + deadlineMs;
  let counted = 0;
  let late = false;
  for (let attempt = 0; ; attempt++) {
    // A wait may end a little late.
    const remainingMs = Math.max(1, deadline - performance.now());
    const end = await tryOnce(Math.min(timeoutMs, remainingMs), remainingMs);
    if ('done' in end) return end.done;
    if ('late' in end) {
      // Timers may end a little early: an attempt that had all the time left was the last.
      if (late || (remainingMs <= timeoutMs && timeoutMs !== deadlineMs)) return end.late;
      if (timeoutMs === deadlineMs) deadline = performance.now() + deadlineMs;
      late = true;
      continue;
    }
    if (end.counts && ++counted >= policy.maxAttempts) return end.again;
    const { again, retryAfterMs } = end;
    let delay = delayMs(policy, attempt, retryAfterMs);
    const leftMs = deadline - performance.now();
    if (retryAfterMs === undefined && leftMs > policy.baseMs && isDown?.()) delay = Math.min(delay, leftMs / 2);
    if (delay >= leftMs) {
      const last = retryAfterMs === undefined || !onLongWait ? again : onLongWait(again, retryAfterMs);
      if (last !== undefined) return last;
      deadline = performance.now() + delay + timeoutMs;
    }
    await waitFor(delay, retryAfterMs !== undefined);
  }
}

/** The server's Retry-After if it sends one, else exponential backoff with full jitter. */
function delayMs(policy: RetryPolicy, attempt: number, retryAfterMs: number | undefined): number {
  if (retryAfterMs !== undefined) return retryAfterMs;
  return Math.random() * Math.min(policy.baseMs * (policy.factor ?? 2) ** attempt, policy.maxMs);
}

/** One call, its permit and its last end. */
class RetriedCall {
  readonly #call: Call;
  readonly #transport: Transport;
  readonly #options: SendOptions;
  readonly judge: AttemptJudge;
  readonly #begun = performance.now();
  #permit: Permit | undefined;
  #last: CallEnd | undefined;

  constructor(call: Call, transport: Transport, options: SendOptions) {
    this.#call = call;
    this.#transport = transport;
    this.#options = options;
    this.judge = new AttemptJudge(call, transport);
    this.#permit = options.permit;
  }

  /** Waits without a permit while other calls find out whether an endpoint that has answered none works at all. */
  async begin(): Promise<void> {
    const { health } = this.#transport;
    if (!health || this.#call.row < 0 || health.admits(this)) return;
    this.#permit?.release();
    this.#permit = undefined;
    const { admission, priority } = this.#options;
    const given = this.#waiting();
    await health.admitted(this, given, this.#call);
    this.#permit = await admission.acquire(priority, given);
  }

  /** Waits for a retry: for the time that the endpoint named, or at most until it has answered others. */
  async wait(waitMs: number, wasAsked: boolean): Promise<void> {
    const { health, policy = RETRY_POLICY } = this.#transport;
    const given = this.#waiting();
    const { recovery } = this.judge;
    if (wasAsked || !recovery || !health) return sleep(waitMs, undefined, { signal: given });
    const spreadMs = recovery.isDown ? policy.baseMs : policy.baseMs / 4;
    await health.recovery.wait(this, { ...recovery, delayMs: waitMs, spreadMs, signal: given });
  }

  /**
   * The end of the call if the endpoint asks for a wait that ends after its deadline; undefined if the call is to wait,
   * which it is as long as the waits end in time. It is not if the endpoint refuses every call: the run ends then.
   */
  mustWait(end: CallEnd, waitMs: number, askedMs = waitMs): CallEnd | undefined {
    const { mustWait, health } = this.#transport;
    if (end instanceof DataDesignerError || !mustWait) return end;
    const { deadlineMs = this.#call.timeoutMs } = this.#call;
    const isShort = askedMs * 2 < deadlineMs;
    if (isShort && (this.#call.row < 0 || health?.servesNobody('limited', this.#call))) return end;
    const mayWait = this.#call.row >= 0 && performance.now() + waitMs < this.#begun + deadlineMs + LONGEST_PAUSE_MS;
    return mayWait ? undefined : mustWait(end, waitMs, { ...this.judge.tries });
  }

  /** Aborted when the call may not be sent again. */
  #waiting(): AbortSignal {
    const { signal, rowOver, paused } = this.#options;
    return AbortSignal.any(rowOver ? [signal, rowOver, paused] : [signal, paused]);
  }

  async tryOnce(givenMs: number, remainingMs: number): Promise<Attempt<CallEnd>> {
    const { health, request } = this.#transport;
    let attemptMs = givenMs;
    const since = performance.now();
    let permit = this.#permit ?? (await this.#permitWithin(remainingMs));
    while (!permit && this.#last) {
      const last = this.#withPause(this.#last, performance.now() - since);
      if (last) return { done: last };
      attemptMs = this.#call.timeoutMs;
      permit = await this.#permitWithin((health?.pauseMs ?? 0) + attemptMs);
    }
    this.#permit = undefined;
    if (health?.end) {
      permit?.release();
      return { done: health.end };
    }
    await this.#control(attemptMs);
    let ending: Ending = OTHER;
    let tokens: PaidTokens | undefined;
    const end = this.judge.begin();
    const endCall = this.#call.row < 0 ? undefined : this.#options.admission.beginCall(this.#call.column);
    let isAnswered = false;
    try {
      const begun = performance.now();
      const sent = (): void => permit?.sent(performance.now() - begun, this.#call.body.length);
      const outcome = await request(attemptMs, sent);
      this.#options.onOutcome?.(outcome);
      if (this.#options.admission.countsTokens) tokens = tokensOfAnswer(outcome.body);
      const judged = this.judge.judge(outcome);
      ({ ending } = judged);
      isAnswered = 'done' in judged.attempt;
      return this.#noted(judged.attempt, outcome.status === TOO_MANY_REQUESTS);
    } catch (thrown) {
      return this.#noted(this.#failed(thrown, attemptMs), false);
    } finally {
      end();
      endCall?.(isAnswered);
      permit?.release(ending, tokens);
    }
  }

  /** Finds out whether the endpoint answers anybody, if only failing calls could tell. */
  async #control(attemptMs: number): Promise<void> {
    const control = this.judge.takeControl();
    if (!control) return untilEnded(this.judge.controlInFlight, this.#options.signal);
    let outcome: CallOutcome | undefined;
    try {
      outcome = await this.#transport.request(Math.min(attemptMs, CONTROL_TIMEOUT_MS), () => {}, control);
      this.#options.onOutcome?.(outcome);
    } catch {
      // The attempt that follows tells why.
    } finally {
      this.judge.judgeControl(outcome);
    }
  }

  /**
   * The end of a refused call that has waited for a permit until its time ended; undefined if it is to wait, since a pause
   * that the endpoint asked for lasts still, or has taken most of the time.
   */
  #withPause(last: CallEnd, waitedMs: number): CallEnd | undefined {
    const { health } = this.#transport;
    if (last instanceof DataDesignerError || last.status !== TOO_MANY_REQUESTS) return last;
    const { deadlineMs = this.#call.timeoutMs } = this.#call;
    const pauseMs = health?.pauseMs ?? 0;
    const askedMs = Math.max(health?.askedPauseMs(waitedMs) ?? 0, retryAfterOf(last, Date.now()) ?? 0);
    if (askedMs * 2 >= deadlineMs) return this.mustWait(last, pauseMs, askedMs);
    return pauseMs > 0 ? this.mustWait(last, pauseMs) : last;
  }

  #failed(thrown: unknown, attemptMs: number): Attempt<DataDesignerError> {
    if (!this.#options.signal.aborted) return this.judge.judgeFailure(thrown, attemptMs);
    return { done: new DataDesignerError('run/aborted', { reason: 'the row was abandoned' }, { cause: thrown }) };
  }

  #noted(attempt: Attempt<CallEnd>, isLimit: boolean): Attempt<CallEnd> {
    if (!('done' in attempt) && this.#call.row >= 0) this.#transport.health?.failed(this, { isLimit });
    this.#last = 'done' in attempt ? attempt.done : 'late' in attempt ? attempt.late : attempt.again;
    return attempt;
  }

  /** A permit for a retry; undefined if the call's time ends first. */
  async #permitWithin(remainingMs: number): Promise<Permit | undefined> {
    const { admission, priority } = this.#options;
    const late = AbortSignal.timeout(Math.max(0, Math.ceil(remainingMs)));
    const waiting = this.#waiting();
    const given = AbortSignal.any([waiting, late]);
    try {
      if (this.#call.row >= 0) await this.#transport.health?.admitted(this, given);
      return await admission.acquire(priority, given);
    } catch (thrown) {
      if (late.aborted && !waiting.aborted) return undefined;
      throw thrown;
    }
  }
}

/** Waits for the end of another call's request, or until the signal is aborted. */
async function untilEnded(request: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  if (!request || signal.aborted) return;
  const aborted = Promise.withResolvers<void>();
  const onAbort = (): void => aborted.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  await Promise.race([request, aborted.promise]);
  signal.removeEventListener('abort', onAbort);
}

/** Adds the tries of a call that took more than one request, or that is to be made again at a known time. */
function withTries(end: CallOutcome, { isOneRequest, tries, failedTries }: AttemptJudge): CallOutcome {
  if (end.status < 300 && !end.verdict) return isOneRequest && !end.tries ? end : { ...end, tries };
  const { askedUntil = end.tries?.askedUntil } = failedTries;
  if (isOneRequest && !end.tries && askedUntil === undefined) return end;
  return { ...end, tries: askedUntil === undefined ? tries : { ...tries, askedUntil } };
}

function failureOf(thrown: unknown, paused: AbortSignal): DataDesignerError {
  if (thrown instanceof DataDesignerError) return thrown;
  if (paused.aborted && paused.reason instanceof DataDesignerError) return paused.reason;
  return new DataDesignerError('run/aborted', { reason: 'the call was not retried' }, { cause: thrown });
}
