import type { IncomingMessage } from 'node:http';
import {
  type Call,
  type CallOutcome,
  DataDesignerError,
  isForAll,
  LONGEST_SECONDS,
  refusalText,
  type Resource,
  type ServerUse,
} from '@data-designer/core';
import { type CheckAnswer, recordChecker } from '../http/check-records.ts';
import { withForAll } from '../http/paid-tries.ts';
import { RETRY_HEADERS } from '../http/retry-after.ts';
import { type RetryPolicy, TimedOut } from '../http/attempt-judge.ts';
import { type SendOptions, sendWithRetries } from '../http/send-with-retries.ts';
import { type GuardedWeb, readBytes } from './web-reader.ts';

/** The longest first wait between attempts. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

/** The longest answer. */
const MOST_BYTES = 32 * 1024 * 1024;
/** The bytes of a refusal that are read, for its message. */
const MOST_REFUSAL_BYTES = 64 * 1024;

/** Statuses that every request would get if none was answered; a redirect is one too. */
const FOR_ALL = new Set([401, 402, 403, 404, 405, 406, 410, 415, 501]);

/** A server that has answered no call is given up after this many failed ones. */
const MOST_FAILED = 4;

/** The server that validates the rows of a column: guarded like downloads, retried as the column says. */
class RecordServer {
  readonly #use: ServerUse & { readonly column: string };
  readonly #web: GuardedWeb;
  readonly #allowPrivate: boolean;
  readonly #policy: RetryPolicy;
  readonly #check: CheckAnswer;
  #hasServed = false;
  #failedCalls = 0;
  /** The failure of every further call. */
  #refusal: DataDesignerError | undefined;

  constructor(
    use: ServerUse & { readonly column: string },
    { web, allowPrivate }: { readonly web: GuardedWeb; readonly allowPrivate: boolean },
  ) {
    this.#use = use;
    this.#web = web;
    this.#allowPrivate = allowPrivate;
    this.#check = recordChecker(use.answerSchema);
    const { maxRetries, backoff: factor } = use;
    this.#policy = {
      baseMs: FIRST_WAIT_MS,
      maxMs: LONGEST_WAIT_MS,
      maxAttempts: maxRetries + 1,
      factor,
      countsAll: true,
    };
  }

  /**
   * A valid answer to a call. Throws `validator/failed`, with `forAll` if the server has answered no call and would answer
   * none, `validator/bad-answer` and `run/aborted`.
   */
  async send(call: Call, options: SendOptions): Promise<CallOutcome> {
    if (this.#refusal) {
      options.permit.release();
      throw this.#refusal;
    }
    const outcome = await sendWithRetries(
      call,
      {
        policy: this.#policy,
        request: (remainingMs) => this.#ask(call.body, { remainingMs, signal: options.signal }),
        late: () => this.#failure('validator/failed', `it did not answer within ${this.#use.timeoutMs / 1000} seconds`),
        mustWait: (_, waitMs) => this.#mustWait(waitMs),
        unreachable: (cause) => this.#failure('validator/failed', this.#web.reason(cause), { forAll: true, cause }),
      },
      options,
    ).catch((thrown: unknown) => {
      throw thrown instanceof DataDesignerError ? this.#recordFailure(thrown) : thrown;
    });
    if (outcome.verdict === 'unusable') throw this.#recordFailure(this.#failure('validator/bad-answer', outcome.body));
    if (outcome.status >= 300) throw this.#recordFailure(this.#refused(outcome));
    return outcome;
  }

  /** Records that the journal holds an answer of an earlier run. */
  servedEarlier(): void {
    this.#hasServed = true;
  }

  async #ask(
    post: string,
    { remainingMs, signal }: { readonly remainingMs: number; readonly signal: AbortSignal },
  ): Promise<CallOutcome> {
    const late = AbortSignal.timeout(Math.max(1, Math.ceil(Math.min(remainingMs, this.#use.timeoutMs))));
    const asking = { allowPrivate: this.#allowPrivate, signal: AbortSignal.any([signal, late]), post };
    try {
      const { response } = await this.#web.request(new URL(this.#use.address), asking);
      const outcome = await this.#read(response, post);
      // A body without a length ends without an error when its connection is aborted.
      asking.signal.throwIfAborted();
      if (outcome.status < 300 && !outcome.verdict) this.#hasServed = true;
      // Recorded while the permit is held, so that the next call is not sent.
      if (concernsAll(outcome)) throw this.#recordFailure(this.#refused(outcome));
      return outcome;
    } catch (thrown) {
      if (late.aborted) throw new TimedOut('no answer in time', { cause: thrown });
      const isRefused = thrown instanceof Error && thrown.name === 'FetchRefusal';
      if (isRefused && !('mayPass' in thrown && thrown.mayPass === true)) {
        throw this.#recordFailure(this.#failure('validator/failed', thrown.message, { forAll: true, cause: thrown }));
      }
      throw thrown;
    }
  }

  async #read(response: IncomingMessage, post: string): Promise<CallOutcome> {
    const { statusCode: status = 0, headers: all } = response;
    const headers: Record<string, string> = {};
    for (const name of ['content-type', ...RETRY_HEADERS]) {
      const value = all[name];
      if (typeof value === 'string') headers[name] = value;
    }
    const isAnswer = status >= 200 && status < 300;
    const bytes = await readBytes(response, isAnswer ? MOST_BYTES : MOST_REFUSAL_BYTES);
    const unusable = (reason: string) => ({ status, headers, body: reason, verdict: 'unusable' }) as const;
    if (!bytes) return isAnswer ? unusable(`it is longer than ${MOST_BYTES} bytes`) : { status, headers, body: '' };
    const body = bytes.toString('utf8');
    const reason = isAnswer ? this.#check(body, post) : undefined;
    return reason === undefined ? { status, headers, body } : unusable(reason);
  }

  /** The failure of every call, also after answers: the rows stay unfinished until the server may be asked again. */
  #mustWait(waitMs: number): DataDesignerError {
    const until = new Date(Date.now() + waitMs).toISOString();
    const reason = `it asks to wait ${Math.ceil(waitMs / 1000)} seconds, until ${until}; resume after that time`;
    return withForAll(this.#failure('validator/failed', reason));
  }

  #refused(outcome: CallOutcome): DataDesignerError {
    const { status, body } = outcome;
    const words = status < 400 ? 'it redirects; use the address that it redirects to' : refusalText(body);
    const reason = `it responded with status ${status}${words === '' ? '' : `: ${words}`}`;
    return this.#failure('validator/failed', reason, { forAll: concernsAll(outcome) });
  }

  #failure(
    code: 'validator/failed' | 'validator/bad-answer',
    reason: string,
    { forAll = false, ...options }: ErrorOptions & { readonly forAll?: boolean } = {},
  ): DataDesignerError {
    const { column, shown: server } = this.#use;
    const data = { column, server, reason: reason.replace(/\.$/, ''), ...(forAll && !this.#hasServed && { forAll }) };
    return new DataDesignerError(code, data, options);
  }

  /**
   * Records a call that failed for good. A failure that every call would meet becomes the failure of all further calls;
   * so does the last of several failures of a server that has answered no call.
   */
  #recordFailure(failure: DataDesignerError): DataDesignerError {
    if (!failure.code.startsWith('validator/') || this.#refusal === failure) return failure;
    const isLast = !this.#hasServed && ++this.#failedCalls >= MOST_FAILED;
    const told = isLast && !isForAll(failure) ? withForAll(failure) : failure;
    if (isForAll(told)) this.#refusal ??= told;
    return told;
  }
}

function concernsAll({ status }: CallOutcome): boolean {
  return (status >= 300 && status < 400) || FOR_ALL.has(status);
}

/** The outcome of a call to a server that is not asked. */
const NOT_ASKED: CallOutcome = { status: 204, headers: {}, body: '' };

const LONGEST_MS = LONGEST_SECONDS * 1000;

/** The servers that validate rows, each opened by its first call. */
export class RecordServers {
  readonly #web: GuardedWeb | undefined;
  readonly #options: { readonly allowPrivate: boolean };
  readonly #opened = new Map<string, RecordServer>();
  /** The servers with a journaled answer of an earlier run. */
  readonly #known = new Set<string>();

  constructor(web: GuardedWeb | undefined, options: { readonly allowPrivate: boolean }) {
    this.#web = web;
    this.#options = options;
  }

  /** Sends an admitted call to the server of its resource; throws `validator/*`. */
  async send(call: Call, { id, server }: Resource, options: SendOptions): Promise<CallOutcome> {
    if (!server || !this.#web) {
      options.permit.release();
      if (!server) return NOT_ASKED;
      throw new DataDesignerError('internal/unexpected', {
        reason: 'the gateway has no client for validation servers',
      });
    }
    const { column } = call;
    const known = this.#opened.get(id) ?? new RecordServer({ column, ...server }, { web: this.#web, ...this.#options });
    this.#opened.set(id, known);
    if (this.#known.has(id)) known.servedEarlier();
    return known.send({ ...call, timeoutMs: Math.min(call.timeoutMs, LONGEST_MS) }, options);
  }

  /** Records that the journal holds an answer of an earlier run. */
  servedEarlier(id: string): void {
    this.#known.add(id);
    this.#opened.get(id)?.servedEarlier();
  }
}
