import {
  type Call,
  type CallOutcome,
  DataDesignerError,
  isRetryableStatus,
  type PaidTokens,
  saysAccountIsSpent,
  type Tries,
} from '@data-designer/core';
import type { Admission, Permit } from '../admission/admission.ts';
import { tokensOfAnswer } from '../admission/answer-cost.ts';
import { ANSWERED, type Ending, OTHER } from '../admission/permit-source.ts';
import { retryAfterOf } from './retry-after.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import { type Attempt, RETRY_POLICY, retrying, type RetryPolicy } from './retry.ts';

/** What a call comes with: its permit, where to get another for a retry, and when to give up. */
export interface SendOptions {
  readonly permit: Permit;
  readonly admission: Admission;
  /** Where it stands among those that wait for a place when it is tried again: the lowest goes first. */
  readonly priority: number;
  readonly signal: AbortSignal;
  /** Aborted when nothing new may be asked: what waits to try again gives up, with the reason if that is a failure. */
  readonly paused: AbortSignal;
  /** What stands for the answer to every request by now, if anything does: then none is made. */
  readonly refusal?: () => CallOutcome | undefined;
  /** Told of every outcome, refusals too, before the place of its request is given on. */
  readonly onOutcome?: (outcome: CallOutcome) => void;
}

/** How one request is made, and what it means when it ends without an answer; `tries` are the requests so far. */
export interface Transport {
  /** Rejects with `TimedOut` when there is no answer in time, with a `DataDesignerError` where trying again is no use. */
  readonly request: (timeoutMs: number, onSent: () => void) => Promise<CallOutcome>;
  /** `attemptMs` is the time that the last attempt had. */
  readonly late: (cause: unknown, tries: Tries, attemptMs: number) => DataDesignerError;
  readonly unreachable: (cause: unknown, tries: Tries) => DataDesignerError;
  /** An answer longer than is taken; another failure of the transport where absent. */
  readonly tooLong?: (cause: unknown, tries: Tries) => DataDesignerError | undefined;
  readonly policy?: RetryPolicy;
  /** What the answers of the endpoint show; a failure is held against the request alone where absent. */
  readonly health?: EndpointHealth;
}

/** The request was given up here because no answer came in time. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/**
 * Sends a call until it is answered, finally refused, or its time is up. Holds a permit while a request is under way,
 * none while it waits to try again. Throws what `transport` makes of failures, and `run/aborted` when given up; the
 * outcome says what it took where that was more than one request.
 */
export async function sendWithRetries(call: Call, transport: Transport, options: SendOptions): Promise<CallOutcome> {
  const { signal, paused } = options;
  const { policy = RETRY_POLICY } = transport;
  const { timeoutMs, deadlineMs } = call;
  const patient = new RetriedCall(call, transport, options);
  try {
    await patient.begin();
    const attempt = (attemptMs: number, remainingMs: number) => patient.tryOnce(attemptMs, remainingMs);
    const outcome = await retrying(attempt, { policy, timeoutMs, deadlineMs, signal, paused });
    if (outcome instanceof DataDesignerError) throw outcome;
    return patient.isOneRequest && !outcome.tries ? outcome : { ...outcome, tries: patient.tries };
  } catch (thrown) {
    throw givenUp(thrown, paused);
  } finally {
    transport.health?.over(patient);
  }
}

/** Failures of a call that do not count where the endpoint serves others: as many again as those that do. */
const FORGIVEN = 4;

/** Answers without a usable choice that a call may be charged for. */
const MOST_WITHOUT_CHOICE = 3;

/** The endpoint gave a request up: the model may have worked on it until then. */
const REQUEST_TIMEOUT = 408;

type End = CallOutcome | DataDesignerError;

class RetriedCall {
  readonly #call: Call;
  readonly #transport: Transport;
  readonly #options: SendOptions;
  #permit: Permit | undefined;
  #last: End | undefined;
  /** Answers of the endpoint when this call failed last. */
  #answersSeen = 0;
  #forgiven = 0;
  #withoutChoice = 0;
  readonly tries: { -readonly [Key in keyof Tries]: Tries[Key] } = { requests: 0, refused: 0, possiblyPaid: 0 };

  constructor(call: Call, transport: Transport, options: SendOptions) {
    this.#call = call;
    this.#transport = transport;
    this.#options = options;
    this.#permit = options.permit;
  }

  /** Whether it took one request, and nothing beside its answer was paid. */
  get isOneRequest(): boolean {
    const { requests, possiblyPaid, spent } = this.tries;
    return requests === 1 && possiblyPaid === 0 && spent === undefined;
  }

  get #countsAll(): boolean {
    return this.#transport.policy?.countsAll === true;
  }

  /** Waits, without a permit, while the endpoint has served nobody and others find out whether it does. */
  async begin(): Promise<void> {
    const { health } = this.#transport;
    if (!health || this.#call.row < 0 || health.admits(this)) return;
    this.#permit?.release();
    this.#permit = undefined;
    const { signal, paused } = this.#options;
    await health.admitted(this, AbortSignal.any([signal, paused]));
    this.#permit = await this.#options.admission.acquire(this.#options.priority, AbortSignal.any([signal, paused]));
  }

  async tryOnce(attemptMs: number, remainingMs: number): Promise<Attempt<End>> {
    const permit = this.#permit ?? (await this.#permitWithin(remainingMs));
    if (!permit) return { done: this.#last as End };
    this.#permit = undefined;
    const refusal = this.#transport.health?.end ?? this.#options.refusal?.();
    if (refusal) {
      permit.release();
      return { done: refusal };
    }
    this.tries.requests++;
    let ending: Ending = OTHER;
    const end = this.#transport.health?.begin();
    try {
      const begun = performance.now();
      const outcome = await this.#transport.request(attemptMs, () => permit.sent(performance.now() - begun));
      this.#options.onOutcome?.(outcome);
      this.#last = outcome;
      this.#countPaid(outcome);
      const attempt = this.#judge(outcome);
      ending = endingOf(outcome, attempt, this.#call.deadlineMs ?? this.#call.timeoutMs);
      if (ending === ANSWERED) this.#transport.health?.answered();
      if (ending.kind === 'refused') {
        this.tries.refused++;
        this.#transport.health?.refused();
      }
      return this.#noted(attempt, outcome.status === TOO_MANY);
    } catch (thrown) {
      return this.#noted(this.#judgeFailure(thrown, attemptMs), false);
    } finally {
      end?.();
      permit.release(ending);
    }
  }

  /** What an answer without use was paid all the same. */
  #countPaid({ status, verdict, body }: CallOutcome): void {
    if (status === REQUEST_TIMEOUT) this.tries.possiblyPaid++;
    if (verdict !== 'no-choice' && verdict !== 'unusable') return;
    const tokens = tokensOfAnswer(body, this.#call.path);
    if (tokens) this.tries.spent = addTokens(this.tries.spent, tokens);
    else if (verdict === 'no-choice') this.tries.possiblyPaid++;
  }

  #noted(attempt: Attempt<End>, isLimit: boolean): Attempt<End> {
    if (!('done' in attempt) && this.#call.row >= 0) this.#transport.health?.failed(this, { isLimit });
    return attempt;
  }

  /** A place for a further try, unless the time is over first. */
  async #permitWithin(remainingMs: number): Promise<Permit | undefined> {
    const { admission, priority, signal, paused } = this.#options;
    const late = AbortSignal.timeout(Math.max(0, Math.ceil(remainingMs)));
    const given = AbortSignal.any([signal, paused, late]);
    try {
      if (this.#call.row >= 0) await this.#transport.health?.admitted(this, given);
      return await admission.acquire(priority, given);
    } catch (thrown) {
      if (late.aborted && !signal.aborted && !paused.aborted) return undefined;
      throw thrown;
    }
  }

  /** An account without money stays so; it says so with the status of those who come too often. */
  #judge(outcome: CallOutcome): Attempt<CallOutcome> {
    const { status, verdict } = outcome;
    if (verdict === 'unusable') return { again: outcome, retryAfterMs: undefined, counts: true };
    if (verdict === 'no-choice') {
      const isLast = ++this.#withoutChoice >= MOST_WITHOUT_CHOICE;
      return isLast ? { done: outcome } : { again: outcome, retryAfterMs: undefined, counts: true };
    }
    if (!isRetryableStatus(status) || saysAccountIsSpent(outcome)) return { done: outcome };
    const retryAfterMs = retryAfterOf(outcome, Date.now());
    const counts = this.#countsAll || (status !== TOO_MANY && this.#isHeldAgainst());
    return { again: outcome, retryAfterMs, counts };
  }

  #judgeFailure(thrown: unknown, attemptMs: number): Attempt<DataDesignerError> {
    if (this.#options.signal.aborted) {
      return { done: new DataDesignerError('run/aborted', { reason: 'the row was given up' }, { cause: thrown }) };
    }
    if (thrown instanceof TimedOut) {
      this.tries.possiblyPaid++;
      this.#last = this.#transport.late(thrown, { ...this.tries }, attemptMs);
      return this.#countsAll ? { again: this.#last, retryAfterMs: undefined, counts: true } : { late: this.#last };
    }
    if (thrown instanceof DataDesignerError) return { done: thrown };
    const tries = { ...this.tries, possiblyPaid: this.tries.possiblyPaid + 1 };
    const tooLong = this.#transport.tooLong?.(thrown, tries);
    if (tooLong) return { done: tooLong };
    this.#last = this.#transport.unreachable(thrown, { ...this.tries });
    return { again: this.#last, retryAfterMs: undefined, counts: this.#isHeldAgainst() };
  }

  /**
   * Whether a failure counts: of an endpoint that has served the first few do not, as it may be too busy; nor does any
   * while it serves nobody.
   */
  #isHeldAgainst(): boolean {
    const { health } = this.#transport;
    if (!health || health.answers === 0) return true;
    const isDown = health.isDownSince(this.#answersSeen);
    this.#answersSeen = health.answers;
    return !isDown && this.#forgiven++ >= FORGIVEN;
  }
}

const TOO_MANY = 429;

/** Tokens of several answers. */
export function addTokens(sum: PaidTokens | undefined, more: PaidTokens): PaidTokens {
  if (!sum) return more;
  return {
    input: sum.input + more.input,
    cachedInput: sum.cachedInput + more.cachedInput,
    output: sum.output + more.output,
  };
}

/** A refusal stops the others for as long as it says, but no longer than a call may wait: it need not hold for them. */
function endingOf({ status, verdict }: CallOutcome, attempt: Attempt<CallOutcome>, deadlineMs: number): Ending {
  if (status < 300) return 'done' in attempt && verdict === undefined ? ANSWERED : OTHER;
  if (status !== TOO_MANY || !('again' in attempt)) return OTHER;
  const { retryAfterMs } = attempt;
  return { kind: 'refused', retryAfterMs: retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, deadlineMs) };
}

function givenUp(thrown: unknown, paused: AbortSignal): DataDesignerError {
  if (thrown instanceof DataDesignerError) return thrown;
  if (paused.aborted && paused.reason instanceof DataDesignerError) return paused.reason;
  return new DataDesignerError('run/aborted', { reason: 'no further try was made' }, { cause: thrown });
}
