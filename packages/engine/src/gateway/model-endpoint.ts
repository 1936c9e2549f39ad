import { type Call, type CallOutcome, DataDesignerError } from '@data-designer/core';
import { Pool } from 'undici';
import type { Admission, Permit } from './admission.ts';
import { postJson } from './post-json.ts';
import { type Attempt, readRetryAfter, RETRY_POLICY, type RetryPolicy, retrying } from './retry.ts';

/** How a provider is reached, its key resolved. Never leaves the I/O thread. */
export interface ModelAccess {
  readonly endpoint: string;
  readonly apiKey: string | undefined;
  readonly extraHeaders: Readonly<Record<string, string>>;
}

/** Statuses that may pass (as NeMo Data Designer has them, and 500). */
const PASSING = new Set([408, 429, 500, 502, 503, 504]);

/** One model provider: its connections, headers and key, and the retries of each call. */
export class ModelEndpoint implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #policy: RetryPolicy;

  constructor({ endpoint, apiKey, extraHeaders }: ModelAccess, connections: number, policy = RETRY_POLICY) {
    const url = new URL(endpoint);
    this.#pool = new Pool(url.origin, { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
    this.#basePath = url.pathname.replace(/\/$/, '');
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      ...extraHeaders,
    };
    this.#policy = policy;
  }

  /**
   * Sends a call until it is answered, finally refused, or its time is up. Holds a permit while a request is under way,
   * none while it waits to try again. Throws `model/unreachable`, `model/timed-out`, `run/aborted`.
   */
  async send(call: Call, options: SendOptions): Promise<CallOutcome> {
    const { admission, signal } = options;
    const { timeoutMs } = call;
    let permit: Permit | undefined = options.permit;
    const tryOnce = async (remainingMs: number): Promise<Attempt<CallOutcome | DataDesignerError>> => {
      permit ??= await admission.acquire(call.row, AbortSignal.any([signal, options.paused]));
      try {
        return this.#judge(await this.#post(call, { timeoutMs: remainingMs, signal }));
      } catch (thrown) {
        return judgeFailure(thrown, call, signal);
      } finally {
        permit.release();
        permit = undefined;
      }
    };
    const deadline = performance.now() + timeoutMs;
    const outcome = await retrying(tryOnce, { policy: this.#policy, deadline, signal, paused: options.paused }).catch(
      (thrown: unknown) => {
        throw new DataDesignerError('run/aborted', { reason: 'no further try was made' }, { cause: thrown });
      },
    );
    if (outcome instanceof DataDesignerError) throw outcome;
    return outcome;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.destroy();
  }

  #post(call: Call, options: { timeoutMs: number; signal: AbortSignal }): Promise<CallOutcome> {
    return postJson(this.#pool, {
      path: `${this.#basePath}/${call.path}`,
      headers: this.#headers,
      body: call.body,
      ...options,
    });
  }

  #judge(outcome: CallOutcome): Attempt<CallOutcome> {
    if (!PASSING.has(outcome.status)) return { done: outcome };
    const retryAfterMs = readRetryAfter(outcome.headers['retry-after'], Date.now());
    return { again: outcome, retryAfterMs, counts: outcome.status !== 429 };
  }
}

/** What a failed attempt means: given up, out of time, or a connection that may come back. */
function judgeFailure(thrown: unknown, { resource, timeoutMs }: Call, signal: AbortSignal): Attempt<DataDesignerError> {
  if (signal.aborted) return { done: new DataDesignerError('run/aborted', { reason: 'the row was given up' }) };
  const model = resource.replace(/^model\//, '');
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  if (reason === 'timed out')
    return { done: new DataDesignerError('model/timed-out', { model, timeoutMs }, { cause: thrown }) };
  const failure = new DataDesignerError('model/unreachable', { model, reason }, { cause: thrown });
  return { again: failure, retryAfterMs: undefined, counts: true };
}

/** What a call comes with: its permit, where to get another for a retry, and when to give up. */
export interface SendOptions {
  readonly permit: Permit;
  readonly admission: Admission;
  readonly signal: AbortSignal;
  /** Aborted when nothing new may be asked: what waits to try again gives up. */
  readonly paused: AbortSignal;
}
