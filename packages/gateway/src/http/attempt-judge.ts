import { type Call, type CallOutcome, DataDesignerError, isOutOfCredit, type Tries } from '@data-designer/core';
import { isUseless, tokensOfAnswer, tokensPaidFor } from '../admission/answer-cost.ts';
import { ANSWERED, type Ending, OTHER } from '../admission/permit-source.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import { FAULT, type OutageSign, outageSignOf, TOO_MANY_REQUESTS } from './outage-sign.ts';
import { addTokens } from './paid-tries.ts';
import { refusalKindOf } from './refusal-memory.ts';
import { meantWaitOf } from './retry-after.ts';

/** The end of one attempt: an outcome to return, a reason to try again, or no answer within the time. */
export type Attempt<Outcome> =
  | { readonly done: Outcome }
  | { readonly again: Outcome; readonly retryAfterMs: number | undefined; readonly counts: boolean }
  | { readonly late: Outcome };

/** What a failed call waits for, beside its delay. */
export interface Recovery {
  /** Whether the endpoint answers nobody. */
  readonly isDown: boolean;
  /** Whether the endpoint has answered since, so that the call is to be made again soon. */
  readonly isOver: () => boolean;
}

/** How often and how long to try. */
export interface RetryPolicy {
  readonly baseMs: number;
  readonly maxMs: number;
  /** The most attempts that count. Rate limits do not count: the call waits until its deadline. */
  readonly maxAttempts: number;
  /** The factor by which each wait is longer than the one before; 2 unless given. */
  readonly factor?: number;
  /** Whether every failed attempt counts, refusals and timeouts too. */
  readonly countsAll?: boolean;
}

/** How one request is made, and the failure when it ends without an answer; `tries` are the requests so far. */
export interface Transport {
  /**
   * Sends the request, or the one of another call. Rejects with `TimedOut` when there is no answer in time, with a
   * `DataDesignerError` when a retry cannot help.
   */
  readonly request: (timeoutMs: number, onSent: () => void, instead?: Call) => Promise<CallOutcome>;
  /** `attemptMs` is the time that the last attempt had. */
  readonly late: (cause: unknown, tries: Tries, attemptMs: number) => DataDesignerError;
  readonly unreachable: (cause: unknown, tries: Tries) => DataDesignerError;
  /** The failure if `cause` is an answer above the size limit. */
  readonly tooLong?: (cause: unknown, tries: Tries) => DataDesignerError | undefined;
  /** The failure if an endpoint asks to wait for longer than the call may; without it the call fails with `end`. */
  readonly mustWait?: (end: CallOutcome, waitMs: number, tries: Tries) => DataDesignerError;
  readonly policy?: RetryPolicy;
  /** The health of the endpoint; where absent, every failure counts against the call. */
  readonly health?: EndpointHealth;
  /** Whether further calls to the endpoint wait for a permit. */
  readonly isWanted?: () => boolean;
}

/** No answer came in time, so the request was closed. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** The longest pause, beyond the time of a call, that an endpoint may ask for while the run goes on. */
export const LONGEST_PAUSE_MS = 900_000;

/** The most answers without a usable choice that one call pays for. */
const MOST_WITHOUT_CHOICE = 3;

/** How often a call may be refused beside answers of others, if such refusals have passed before. */
const SPARE_IF_PASSING = 8;
/** More calls than this that are refused, and none that is answered, speak for a refusal of every call. */
const FEW_CALLS = 3;

/** 408: the endpoint gave up the request; the model may have worked on it until then. */
const REQUEST_TIMEOUT = 408;

/** Decides after each attempt of one call whether to try again, and counts the requests and what they cost. */
export class AttemptJudge {
  readonly #call: Call;
  readonly #transport: Transport;
  /** The endpoint's answer count when this call failed last. */
  #answersSeen = 0;
  /** How many control requests had been answered when this call failed last. */
  #passesSeen = 0;
  #uncounted = 0;
  #withoutChoice = 0;
  /** The number of the request that is in flight. */
  #request = 0;
  /** The endpoint's latest request when this call was refused last. */
  #refusedAt: number | undefined;
  /** How often this call was refused while the endpoint answered others. */
  #passedBy = 0;
  readonly #refusalKinds = new Set<string>();
  #recovery: Recovery | undefined;
  /** Until when an answer to this call asked to wait, in ms since 1970. */
  #askedUntil: number | undefined;
  readonly tries: { -readonly [Key in keyof Tries]: Tries[Key] } = { requests: 0, refused: 0, possiblyPaid: 0 };

  constructor(call: Call, transport: Transport) {
    this.#call = call;
    this.#transport = transport;
  }

  /** Counts a request; call the returned function when it has ended. */
  begin(): () => void {
    const { health } = this.#transport;
    this.tries.requests++;
    this.#recovery = undefined;
    if (!health) return () => {};
    this.#request = health.recovery.sent();
    return health.begin(this);
  }

  /** What the call waits for after its last attempt; undefined where only time helps. */
  get recovery(): Recovery | undefined {
    return this.#recovery;
  }

  /** Whether the call took one request and only its answer was paid. */
  get isOneRequest(): boolean {
    const { requests, possiblyPaid, spent } = this.tries;
    return requests === 1 && possiblyPaid === 0 && spent === undefined;
  }

  /** The tries of a call that failed, with the time to come back. */
  get failedTries(): Tries {
    const { askedUntil } = this.#transport.health ?? {};
    const until = Math.max(this.#askedUntil ?? 0, askedUntil ?? 0);
    return until > 0 ? { ...this.tries, askedUntil: new Date(until).toISOString() } : this.tries;
  }

  /** Judges a response, and says what the permit source learns from it. */
  judge(outcome: CallOutcome): { readonly attempt: Attempt<CallOutcome>; readonly ending: Ending } {
    const { health } = this.#transport;
    this.#countPaid(outcome);
    const failsAlone = this.#failsAlone;
    const attempt = this.#attemptOf(outcome);
    const ending = endingOf(outcome, attempt, this.#call.deadlineMs ?? this.#call.timeoutMs);
    this.#noteOthers(failsAlone && ending === OTHER);
    if (ending === ANSWERED) this.#answered(outcome);
    if (ending.kind === 'refused') {
      this.tries.refused++;
      health?.refused(ending.retryAfterMs);
    }
    return { attempt, ending };
  }

  /** Judges an attempt that brought no response within `attemptMs`. */
  judgeFailure(thrown: unknown, attemptMs: number): Attempt<DataDesignerError> {
    this.#noteOthers(this.#failsAlone);
    if (thrown instanceof TimedOut) {
      this.tries.possiblyPaid++;
      this.#transport.health?.failing(this);
      this.#answersSeen = this.#transport.health?.answers ?? 0;
      const late = this.#transport.late(thrown, { ...this.tries }, attemptMs);
      return this.#countsAll ? { again: late, retryAfterMs: undefined, counts: true } : { late };
    }
    if (thrown instanceof DataDesignerError) return { done: thrown };
    const tooLong = this.#transport.tooLong?.(thrown, { ...this.tries, possiblyPaid: this.tries.possiblyPaid + 1 });
    if (tooLong) return { done: tooLong };
    return this.#failedAgain(this.#transport.unreachable(thrown, { ...this.tries }), undefined);
  }

  /**
   * The request of another call that is to be sent before the next attempt of this one, to learn whether the endpoint
   * answers anybody: it has answered nobody since this call failed, and no other call is sent. If it has never answered,
   * the request is one that waits. Call `judgeControl` with its end.
   */
  takeControl(): Call | undefined {
    const { health, isWanted } = this.#transport;
    const { requests } = this.tries;
    if (!health || this.#countsAll || this.#call.row < 0 || requests === 0) return undefined;
    if (!health.hasServed) return health.control.take(() => health.takeUntried());
    if (health.answers > this.#answersSeen || (requests === 1 && !health.hasManyFailing)) return undefined;
    return health.hasFailingAlone(isWanted?.() === true) ? health.control.take() : undefined;
  }

  /** A control request of another call that this one waits for, as it may be the first one that the endpoint answers. */
  get controlInFlight(): Promise<void> | undefined {
    const { health } = this.#transport;
    return this.tries.requests > 0 && health?.answers === 0 ? health.control.inFlight : undefined;
  }

  /** Counts a control request, and what it cost, as one of this call. Absent without a response. */
  judgeControl(outcome: CallOutcome | undefined): void {
    const { health } = this.#transport;
    const isAnswered = outcome !== undefined && outcome.status < 300 && outcome.verdict === undefined;
    const tokens = outcome && tokensPaidFor(outcome);
    this.tries.requests++;
    if (tokens) this.tries.spent = addTokens(this.tries.spent, tokens);
    else if (!outcome || isAnswered) this.tries.possiblyPaid++;
    health?.control.ended(isAnswered);
    if (isAnswered) health?.answered();
  }

  #answered({ body }: CallOutcome): void {
    const { health } = this.#transport;
    health?.control.remember(this.#call, body);
    health?.answered(this.#request);
    for (const kind of this.#refusalKinds) health?.refusals.passed(kind);
  }

  get #countsAll(): boolean {
    return this.#transport.policy?.countsAll === true;
  }

  #attemptOf(outcome: CallOutcome): Attempt<CallOutcome> {
    const { status, verdict } = outcome;
    if (verdict === 'no-choice') return this.#withoutChoiceAgain(outcome);
    const sign = outageSignOf(outcome);
    const retryAfterMs = meantWaitOf(outcome, Date.now());
    if (retryAfterMs !== undefined) this.#askedUntil = Date.now() + retryAfterMs;
    if (status === TOO_MANY_REQUESTS && !isOutOfCredit(outcome)) {
      return { again: outcome, retryAfterMs, counts: this.#countsAll };
    }
    if (!sign) return { done: outcome };
    if (sign.isRefusal) return this.#countsAll ? { done: outcome } : this.#refusedAgain(outcome, sign);
    if (this.#countsAll) return { again: outcome, retryAfterMs, counts: true };
    return this.#failedAgain(outcome, retryAfterMs);
  }

  /** An answer without a choice may be charged, so few are paid for; none counts while the endpoint is down. */
  #withoutChoiceAgain(outcome: CallOutcome): Attempt<CallOutcome> {
    const isFree = tokensOfAnswer(outcome.body) === undefined;
    const isDown = this.#isDown();
    if (isFree && isDown) return { again: outcome, retryAfterMs: undefined, counts: false };
    const isLast = ++this.#withoutChoice >= MOST_WITHOUT_CHOICE;
    return isLast ? { done: outcome } : { again: outcome, retryAfterMs: undefined, counts: true };
  }

  /**
   * A refusal is final, unless the endpoint has answered: then it may be that of a proxy, and is asked again. It concerns
   * this request alone once enough requests that were sent after it have been answered, so and so many times. It
   * concerns every request if several calls meet it for the time of an outage.
   */
  #refusedAgain(outcome: CallOutcome, sign: OutageSign): Attempt<CallOutcome> {
    const { health } = this.#transport;
    if (!health?.hasServed) return { done: outcome };
    const { recovery, refusals } = health;
    const kind = refusalKindOf(outcome);
    const calls = health.failing(this);
    const isFirst = this.#refusedAt === undefined;
    const hasPassedControl = this.#hasPassedControl(health);
    if (this.#refusedAt !== undefined)
      this.#passedBy += Math.max(recovery.passesSince(this.#refusedAt), hasPassedControl ? 1 : 0);
    const spare = refusals.isPassing(kind) ? SPARE_IF_PASSING : sign.spare;
    if (this.#passedBy >= spare || (!isFirst && refusals.isSingle(kind))) {
      refusals.settled(kind);
      return { done: { ...outcome, verdict: 'about-this' } };
    }
    if (!health.isDownSince(health.answers, this.#outageMs(sign, health))) {
      const isForAll = calls > FEW_CALLS || health.control.isFailing;
      return { done: isForAll ? { ...outcome, verdict: 'about-all' } : outcome };
    }
    const sent = recovery.latest;
    this.#refusedAt = sent;
    this.#refusalKinds.add(kind);
    // Only a further control request can tell more.
    const isDown = hasPassedControl || (!isFirst && health.answers === this.#answersSeen);
    this.#recovery = isDown ? this.#untilAnswered(health) : { isDown, isOver: () => recovery.passesSince(sent) > 0 };
    this.#answersSeen = health.answers;
    return { again: outcome, retryAfterMs: undefined, counts: false };
  }

  /**
   * The call is made again after a fault. The first few faults do not count while the endpoint answers others, as it may be
   * overloaded. None does while the endpoint is down. A fault that outlasts an outage is final. One that follows the answer
   * to a control request counts.
   */
  #failedAgain<Outcome>(again: Outcome, retryAfterMs: number | undefined): Attempt<Outcome> {
    const { health, policy } = this.#transport;
    if (!health?.mayAnswerAgain) return { again, retryAfterMs, counts: true };
    const hasPassedOthers = this.#hasAnsweredOthers;
    if (this.#isDown()) return { again, retryAfterMs, counts: false };
    const hasTried = this.tries.requests >= (policy?.maxAttempts ?? FAULT.spare);
    if (hasTried && !hasPassedOthers && retryAfterMs === undefined) return { done: again };
    const hasPassedControl = this.#hasPassedControl(health);
    const counts = hasPassedControl || this.#uncounted++ >= FAULT.spare;
    if (hasPassedControl) this.#recovery = this.#untilAnswered(health);
    return { again, retryAfterMs: hasPassedOthers ? this.#short(retryAfterMs) : retryAfterMs, counts };
  }

  /** Whether a control request has been answered since this was last asked. */
  #hasPassedControl({ control }: EndpointHealth): boolean {
    const hasPassed = control.passes > this.#passesSeen;
    this.#passesSeen = control.passes;
    return hasPassed;
  }

  #outageMs({ outageMs }: OutageSign, health: EndpointHealth): number {
    return health.outageMs(outageMs, this.#transport.isWanted?.() === true);
  }

  #untilAnswered(health: EndpointHealth): Recovery {
    const { answers } = health;
    return { isDown: true, isOver: () => health.answers > answers };
  }

  /** Whether the endpoint has answered other calls since this one failed. */
  get #hasAnsweredOthers(): boolean {
    const { health } = this.#transport;
    return health !== undefined && health.answers > this.#answersSeen;
  }

  /** Whether the endpoint has answered other calls between two failures of this one. */
  get #failsAlone(): boolean {
    return this.tries.requests > 1 && this.#hasAnsweredOthers;
  }

  #noteOthers(haveAnswers: boolean): void {
    if (haveAnswers) this.tries.othersAnswered = true;
    else delete this.tries.othersAnswered;
  }

  /** A wait that the call has time for: an endpoint that answers others does not mean a longer one for all. */
  #short(retryAfterMs: number | undefined): number | undefined {
    const { deadlineMs, timeoutMs } = this.#call;
    return retryAfterMs !== undefined && retryAfterMs < (deadlineMs ?? timeoutMs) ? retryAfterMs : undefined;
  }

  /** Counts what was paid for answers that cannot be used, refusals that report usage included. */
  #countPaid(outcome: CallOutcome): void {
    const { status, verdict } = outcome;
    if (!isUseless(outcome)) return;
    const tokens = tokensPaidFor(outcome);
    if (tokens) this.tries.spent = addTokens(this.tries.spent, tokens);
    else if (verdict === 'no-choice' || status === REQUEST_TIMEOUT) this.tries.possiblyPaid++;
  }

  /** Whether the endpoint, which has answered before, has answered no call since this one failed last. */
  #isDown(): boolean {
    const { health } = this.#transport;
    if (!health) return false;
    health.failing(this);
    const isDown = health.isDownSince(this.#answersSeen, this.#outageMs(FAULT, health));
    this.#answersSeen = health.answers;
    if (isDown) this.#recovery = this.#untilAnswered(health);
    return isDown;
  }
}

/** A rate limit pauses all calls of the endpoint for its Retry-After, at most for as long as one call may wait. */
function endingOf({ status, verdict }: CallOutcome, attempt: Attempt<CallOutcome>, deadlineMs: number): Ending {
  if (status < 300) return 'done' in attempt && verdict === undefined ? ANSWERED : OTHER;
  if (status !== TOO_MANY_REQUESTS || !('again' in attempt)) return OTHER;
  const { retryAfterMs } = attempt;
  const longestMs = Math.max(deadlineMs, LONGEST_PAUSE_MS);
  return { kind: 'refused', retryAfterMs: retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, longestMs) };
}
