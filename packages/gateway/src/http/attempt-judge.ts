import {
  type Call,
  type CallOutcome,
  DataDesignerError,
  isRetryableStatus,
  isOutOfCredit,
  type Tries,
} from '@data-designer/core';
import { tokensOfAnswer } from '../admission/answer-cost.ts';
import { ANSWERED, type Ending, OTHER } from '../admission/permit-source.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import { addTokens } from './paid-tries.ts';
import { retryAfterOf } from './retry-after.ts';

/** The end of one attempt: an outcome to return, a reason to try again, or no answer within the time. */
export type Attempt<Outcome> =
  | { readonly done: Outcome }
  | { readonly again: Outcome; readonly retryAfterMs: number | undefined; readonly counts: boolean }
  | { readonly late: Outcome };

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
  /** Rejects with `TimedOut` when there is no answer in time, with a `DataDesignerError` when a retry cannot help. */
  readonly request: (timeoutMs: number, onSent: () => void) => Promise<CallOutcome>;
  /** `attemptMs` is the time that the last attempt had. */
  readonly late: (cause: unknown, tries: Tries, attemptMs: number) => DataDesignerError;
  readonly unreachable: (cause: unknown, tries: Tries) => DataDesignerError;
  /** The failure if `cause` is an answer above the size limit. */
  readonly tooLong?: (cause: unknown, tries: Tries) => DataDesignerError | undefined;
  readonly policy?: RetryPolicy;
  /** The health of the endpoint; where absent, every failure counts against the call. */
  readonly health?: EndpointHealth;
}

/** No answer came in time, so the request was closed. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** While the endpoint answers others, this many failures of a call do not count. */
const UNCOUNTED_FAILURES = 4;

/** The most answers without a usable choice that one call pays for. */
const MOST_WITHOUT_CHOICE = 3;

/** 408: the endpoint gave up the request; the model may have worked on it until then. */
const REQUEST_TIMEOUT = 408;
const TOO_MANY_REQUESTS = 429;

/** Decides after each attempt of one call whether to try again, and counts the requests and what they cost. */
export class AttemptJudge {
  readonly #call: Call;
  readonly #transport: Transport;
  /** The endpoint's answer count when this call failed last. */
  #answersSeen = 0;
  #uncounted = 0;
  #withoutChoice = 0;
  readonly tries: { -readonly [Key in keyof Tries]: Tries[Key] } = { requests: 0, refused: 0, possiblyPaid: 0 };

  constructor(call: Call, transport: Transport) {
    this.#call = call;
    this.#transport = transport;
  }

  /** Whether the call took one request and only its answer was paid. */
  get isOneRequest(): boolean {
    const { requests, possiblyPaid, spent } = this.tries;
    return requests === 1 && possiblyPaid === 0 && spent === undefined;
  }

  /** Judges a response, and says what the permit source learns from it. */
  judge(outcome: CallOutcome): { readonly attempt: Attempt<CallOutcome>; readonly ending: Ending } {
    const { health } = this.#transport;
    this.#countPaid(outcome);
    const attempt = this.#attemptOf(outcome);
    const ending = endingOf(outcome, attempt, this.#call.deadlineMs ?? this.#call.timeoutMs);
    if (ending === ANSWERED) health?.answered();
    if (ending.kind === 'refused') {
      this.tries.refused++;
      health?.refused();
    }
    return { attempt, ending };
  }

  /** Judges an attempt that brought no response within `attemptMs`. */
  judgeFailure(thrown: unknown, attemptMs: number): Attempt<DataDesignerError> {
    if (thrown instanceof TimedOut) {
      this.tries.possiblyPaid++;
      const late = this.#transport.late(thrown, { ...this.tries }, attemptMs);
      return this.#countsAll ? { again: late, retryAfterMs: undefined, counts: true } : { late };
    }
    if (thrown instanceof DataDesignerError) return { done: thrown };
    const tooLong = this.#transport.tooLong?.(thrown, { ...this.tries, possiblyPaid: this.tries.possiblyPaid + 1 });
    if (tooLong) return { done: tooLong };
    const again = this.#transport.unreachable(thrown, { ...this.tries });
    return { again, retryAfterMs: undefined, counts: this.#countsAgainstCall() };
  }

  get #countsAll(): boolean {
    return this.#transport.policy?.countsAll === true;
  }

  #attemptOf(outcome: CallOutcome): Attempt<CallOutcome> {
    const { status, verdict } = outcome;
    if (verdict === 'unusable') return { again: outcome, retryAfterMs: undefined, counts: true };
    if (verdict === 'no-choice') {
      const isLast = ++this.#withoutChoice >= MOST_WITHOUT_CHOICE;
      return isLast ? { done: outcome } : { again: outcome, retryAfterMs: undefined, counts: true };
    }
    // An account without money stays without, although it answers with the status of a rate limit.
    if (!isRetryableStatus(status) || isOutOfCredit(outcome)) return { done: outcome };
    const retryAfterMs = retryAfterOf(outcome, Date.now());
    const counts = this.#countsAll || (status !== TOO_MANY_REQUESTS && this.#countsAgainstCall());
    return { again: outcome, retryAfterMs, counts };
  }

  /** Counts what was paid for answers that cannot be used. */
  #countPaid({ status, verdict, body }: CallOutcome): void {
    if (status === REQUEST_TIMEOUT) this.tries.possiblyPaid++;
    if (verdict !== 'no-choice' && verdict !== 'unusable') return;
    const tokens = tokensOfAnswer(body);
    if (tokens) this.tries.spent = addTokens(this.tries.spent, tokens);
    else if (verdict === 'no-choice') this.tries.possiblyPaid++;
  }

  /**
   * Whether a failure counts against the call. The first few do not while the endpoint answers others, as it may be
   * overloaded; none does while the endpoint is down.
   */
  #countsAgainstCall(): boolean {
    const { health } = this.#transport;
    if (!health || health.answers === 0) return true;
    const isDown = health.isDownSince(this.#answersSeen);
    this.#answersSeen = health.answers;
    return !isDown && this.#uncounted++ >= UNCOUNTED_FAILURES;
  }
}

/** A refusal pauses all calls of the endpoint for its Retry-After, at most for as long as one call may wait. */
function endingOf({ status, verdict }: CallOutcome, attempt: Attempt<CallOutcome>, deadlineMs: number): Ending {
  if (status < 300) return 'done' in attempt && verdict === undefined ? ANSWERED : OTHER;
  if (status !== TOO_MANY_REQUESTS || !('again' in attempt)) return OTHER;
  const { retryAfterMs } = attempt;
  return { kind: 'refused', retryAfterMs: retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, deadlineMs) };
}
