import { type Call, type CallOutcome, DataDesignerError, saysAccountIsSpent, type Tries } from '@data-designer/core';
import type { Admission, Permit } from './admission.ts';
import { ANSWERED, type Ending, OTHER } from './limit.ts';
import { retryAfterOf } from './retry-after.ts';
import type { Service } from './service.ts';
import { type Attempt, PASSING_STATUSES, RETRY_POLICY, retrying, type RetryPolicy } from './retry.ts';

/** What a call comes with: its permit, where to get another for a retry, and when to give up. */
export interface SendOptions {
  readonly permit: Permit;
  readonly admission: Admission;
  /** Where it stands among those that wait for a place when it is tried again: the lowest goes first. */
  readonly turn: number;
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
  readonly late: (cause: unknown, tries: Tries) => DataDesignerError;
  readonly unreachable: (cause: unknown, tries: Tries) => DataDesignerError;
  readonly policy?: RetryPolicy;
  /** What the answers of the endpoint show; a failure is held against the request alone where absent. */
  readonly service?: Service;
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
export async function sendPatiently(call: Call, transport: Transport, options: SendOptions): Promise<CallOutcome> {
  const { signal, paused } = options;
  const { policy = RETRY_POLICY } = transport;
  const patient = new PatientCall(call, transport, options);
  const outcome = await retrying((remainingMs) => patient.tryOnce(remainingMs), {
    policy,
    timeoutMs: call.timeoutMs,
    signal,
    paused,
  }).catch((thrown: unknown) => {
    throw givenUp(thrown, paused);
  });
  if (outcome instanceof DataDesignerError) throw outcome;
  return patient.tries.requests === 1 && !outcome.tries ? outcome : { ...outcome, tries: patient.tries };
}

/** Failures of a call that do not count where the endpoint serves others: as many again as those that do. */
const FORGIVEN = 4;

/** The endpoint gave a request up: the model may have worked on it until then. */
const REQUEST_TIMEOUT = 408;

type End = CallOutcome | DataDesignerError;

class PatientCall {
  readonly #call: Call;
  readonly #transport: Transport;
  readonly #options: SendOptions;
  #permit: Permit | undefined;
  #last: End | undefined;
  /** Answers of the endpoint when this call failed last. */
  #answersSeen = 0;
  #forgiven = 0;
  readonly tries: { -readonly [Key in keyof Tries]: Tries[Key] } = { requests: 0, refused: 0, possiblyPaid: 0 };

  constructor(call: Call, transport: Transport, options: SendOptions) {
    this.#call = call;
    this.#transport = transport;
    this.#options = options;
    this.#permit = options.permit;
  }

  get #countsAll(): boolean {
    return this.#transport.policy?.countsAll === true;
  }

  async tryOnce(remainingMs: number): Promise<Attempt<End>> {
    const permit = this.#permit ?? (await this.#permitWithin(remainingMs));
    if (!permit) return { done: this.#last as End };
    this.#permit = undefined;
    const refusal = this.#options.refusal?.();
    if (refusal) {
      permit.release();
      return { done: refusal };
    }
    this.tries.requests++;
    let ending: Ending = OTHER;
    const end = this.#transport.service?.begin();
    try {
      const begun = performance.now();
      const outcome = await this.#transport.request(remainingMs, () => permit.sent(performance.now() - begun));
      this.#options.onOutcome?.(outcome);
      const attempt = judge(outcome, { countsAll: this.#countsAll, isHeldAgainst: () => this.#isHeldAgainst() });
      ending = endingOf(outcome, attempt, this.#call.timeoutMs);
      if (ending === ANSWERED) this.#transport.service?.answered();
      if (ending.kind === 'refused') {
        this.tries.refused++;
        this.#transport.service?.refused();
      }
      if (outcome.status === REQUEST_TIMEOUT) this.tries.possiblyPaid++;
      this.#last = outcome;
      return attempt;
    } catch (thrown) {
      return this.#judgeFailure(thrown);
    } finally {
      end?.();
      permit.release(ending);
    }
  }

  /** A place for a further try, unless the time is over first. */
  async #permitWithin(remainingMs: number): Promise<Permit | undefined> {
    const { admission, turn, signal, paused } = this.#options;
    const late = AbortSignal.timeout(Math.max(0, Math.ceil(remainingMs)));
    try {
      return await admission.acquire(turn, AbortSignal.any([signal, paused, late]));
    } catch (thrown) {
      if (late.aborted && !signal.aborted && !paused.aborted) return undefined;
      throw thrown;
    }
  }

  #judgeFailure(thrown: unknown): Attempt<DataDesignerError> {
    if (this.#options.signal.aborted) {
      return { done: new DataDesignerError('run/aborted', { reason: 'the row was given up' }, { cause: thrown }) };
    }
    if (thrown instanceof TimedOut) {
      this.tries.possiblyPaid++;
      this.#last = this.#transport.late(thrown, { ...this.tries });
      return this.#countsAll ? { again: this.#last, retryAfterMs: undefined, counts: true } : { late: this.#last };
    }
    if (thrown instanceof DataDesignerError) return { done: thrown };
    this.#last = this.#transport.unreachable(thrown, { ...this.tries });
    return { again: this.#last, retryAfterMs: undefined, counts: this.#isHeldAgainst() };
  }

  /**
   * Whether a failure counts: of an endpoint that has served the first few do not, as it may be too busy; nor does any
   * while it serves nobody.
   */
  #isHeldAgainst(): boolean {
    const { service } = this.#transport;
    if (!service || service.answers === 0) return true;
    const isDown = service.isDownSince(this.#answersSeen);
    this.#answersSeen = service.answers;
    return !isDown && this.#forgiven++ >= FORGIVEN;
  }
}

/** An account without money stays so; it says so with the status of those who come too often. */
function judge(
  outcome: CallOutcome,
  { countsAll, isHeldAgainst }: { readonly countsAll: boolean; readonly isHeldAgainst: () => boolean },
): Attempt<CallOutcome> {
  const { status, verdict } = outcome;
  if (verdict === 'unusable') return { again: outcome, retryAfterMs: undefined, counts: true };
  if (!PASSING_STATUSES.has(status) || saysAccountIsSpent(outcome)) return { done: outcome };
  const retryAfterMs = retryAfterOf(outcome, Date.now());
  return { again: outcome, retryAfterMs, counts: countsAll || (status !== 429 && isHeldAgainst()) };
}

/** A refusal stops the others for as long as it says, but no longer than a call may wait: it need not hold for them. */
function endingOf({ status }: CallOutcome, attempt: Attempt<CallOutcome>, timeoutMs: number): Ending {
  if (status < 300) return 'done' in attempt ? ANSWERED : OTHER;
  if (status !== 429 || !('again' in attempt)) return OTHER;
  const { retryAfterMs } = attempt;
  return { kind: 'refused', retryAfterMs: retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, timeoutMs) };
}

function givenUp(thrown: unknown, paused: AbortSignal): DataDesignerError {
  if (thrown instanceof DataDesignerError) return thrown;
  if (paused.aborted && paused.reason instanceof DataDesignerError) return paused.reason;
  return new DataDesignerError('run/aborted', { reason: 'no further try was made' }, { cause: thrown });
}
