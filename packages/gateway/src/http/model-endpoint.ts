import { type Call, type CallOutcome, type CallPath, DataDesignerError, isRetryableStatus } from '@data-designer/core';
import { type AnswerForm, failureOfOutcome } from '@data-designer/models/protocols';
import { AnswerMemory } from '../admission/answer-memory.ts';
import { Connections } from './connections.ts';
import { headersOf, type ModelAccess, pathOf } from './model-access.ts';
import { postJson, TooLong } from './post-json.ts';
import { RETRY_POLICY } from './retry.ts';
import { type GivenUp, EndpointHealth } from './endpoint-health.ts';
import { type SendOptions, sendWithRetries, type Transport } from './send-with-retries.ts';
import { takeAnswer } from './take-answer.ts';
import { transportReason } from './transport-reason.ts';

/** The requests of a call that is not made. */
const NO_TRIES = { requests: 0, refused: 0, possiblyPaid: 0 } as const;

/** One model provider: its connections, headers and key, and the retries of each call. */
export class ModelEndpoint implements AsyncDisposable {
  readonly #access: ModelAccess;
  readonly #connections: Connections;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #paths = new Map<CallPath, OpenPath>();
  readonly #health = new Map<string, EndpointHealth>();
  readonly #policy;
  readonly #memory: AnswerMemory;
  /** Whether anything ever came back from it, a refusal included. */
  #isThere = false;

  constructor(access: ModelAccess, policy = RETRY_POLICY, memory = new AnswerMemory()) {
    this.#access = access;
    this.#connections = new Connections(new URL(access.endpoint).origin, access.proxy);
    this.#headers = headersOf(access);
    this.#policy = policy;
    this.#memory = memory;
  }

  /**
   * Sends a call until it is answered, finally refused, or its time is up; says of a refusal whether it concerns every
   * request. Throws `model/*` failures with the requests that were made (`tries`), and `run/aborted`. Once a call has
   * found that the endpoint serves nobody, the others are told so without a request.
   */
  async send(call: Call, options: SendOptions): Promise<CallOutcome> {
    const health = this.#healthOf(call.resource);
    if (health.end) {
      options.permit.release();
      throw health.end;
    }
    try {
      const outcome = await sendWithRetries(call, this.#transport(call, { health, options }), options);
      return this.#concerning(outcome, call, health);
    } catch (thrown) {
      throw thrown instanceof DataDesignerError ? this.#concerningAll(thrown, call, health) : thrown;
    }
  }

  /** An answer of a resource is at hand from an earlier run. */
  servedEarlier(resource: string): void {
    this.#healthOf(resource).servedEarlier();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connections[Symbol.asyncDispose]();
  }

  #transport(
    call: Call,
    { health, options }: { readonly health: EndpointHealth; readonly options: SendOptions },
  ): Transport {
    const model = modelOf(call);
    const { timeoutMs, deadlineMs } = call;
    return {
      policy: this.#policy,
      health,
      request: (attemptMs, onSent) => this.#post(call, { timeoutMs: attemptMs, signal: options.signal, onSent }),
      late: (cause, tries, attemptMs) => {
        const isCut = deadlineMs !== undefined && attemptMs < timeoutMs;
        const data = { model, timeoutMs, ...(isCut ? { deadlineMs } : {}), tries };
        return new DataDesignerError('model/timed-out', data, { cause });
      },
      unreachable: (cause, tries) => {
        const data = { model, reason: transportReason(cause), tries };
        return new DataDesignerError('model/unreachable', data, { cause });
      },
      tooLong: (cause, tries) => {
        if (!(cause instanceof TooLong)) return undefined;
        const data = { model, maxBytes: cause.maxBytes, tries };
        return new DataDesignerError('model/answer-too-long', data, { cause });
      },
    };
  }

  async #post(
    { path, body, maxAnswerBytes: maxBytes }: Call,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly onSent: () => void },
  ): Promise<CallOutcome> {
    const memory = this.#memory;
    const { form, ...target } = this.#pathOf(path);
    const post = { ...target, headers: this.#headers, body, maxBytes, memory, ...options };
    const outcome = await this.#connections.use((connection) => postJson(connection, post));
    this.#isThere = true;
    return takeAnswer(outcome, form);
  }

  /**
   * Whether the end of a call concerns others too. A model that has answered others is there, and may be asked: what it
   * refuses with 403 or 404 is a request. A refusal by one that has not says what was sent.
   */
  #concerning(outcome: CallOutcome, call: Call, health: EndpointHealth): CallOutcome {
    const { status, verdict } = outcome;
    if ((status === 403 || status === 404) && health.hasServed) return { ...outcome, verdict: 'about-this' };
    const isUnusable = verdict === 'unusable' || verdict === 'no-choice';
    if (status < 300 && !isUnusable) return outcome;
    const told =
      isUnusable || health.hasServed || !mayBeAccess(status) ? outcome : { ...outcome, sent: this.#sent(call) };
    if (status === 429 && this.#servesNobody('limited', call, health)) return { ...told, verdict: 'about-all' };
    if (status === 429 || !(isUnusable || isRetryableStatus(status))) return told;
    const { timeoutMs } = call;
    const { form } = this.#pathOf(call.path);
    const failure = () => failureOfOutcome(told, { model: modelOf(call), timeoutMs, form });
    if (this.#servesNobody('failed', call, health)) throw this.#endWith(failure(), health, told.tries);
    return told;
  }

  /** The failure of a call, as that of every call where the endpoint serves nobody. */
  #concerningAll(failure: DataDesignerError, call: Call, health: EndpointHealth): DataDesignerError {
    if (health.end) return failure;
    const isLate = failure.code === 'model/timed-out';
    if (!isLate && failure.code !== 'model/unreachable') return failure;
    const how = isLate ? 'silent' : this.#isThere ? 'failed' : 'absent';
    const { tries } = failure.data as { readonly tries?: CallOutcome['tries'] };
    return this.#servesNobody(how, call, health) ? this.#endWith(failure, health, tries) : failure;
  }

  /** What is asked before the rows, under a number that no row has, shows only that an endpoint is not there. */
  #servesNobody(
    how: GivenUp['how'],
    { row, timeoutMs, deadlineMs = timeoutMs }: Call,
    health: EndpointHealth,
  ): boolean {
    return (row >= 0 || how === 'absent') && health.servesNobody({ how, timeoutMs, deadlineMs });
  }

  #endWith(failure: DataDesignerError, health: EndpointHealth, tries: CallOutcome['tries']): DataDesignerError {
    const { code, data, cause } = failure;
    const forAll = (made: CallOutcome['tries']) =>
      new DataDesignerError(code, { ...(data as object), forAll: true, tries: made } as never, { cause });
    health.endWith(forAll(NO_TRIES));
    return forAll(tries ?? { requests: 1, refused: 0, possiblyPaid: 0 });
  }

  #sent({ resource }: Call): string {
    const [, , ...name] = resource.split('/');
    return `the model name '${name.join('/')}' and ${this.#access.keyShown ?? 'no key'}`;
  }

  #healthOf(resource: string): EndpointHealth {
    let known = this.#health.get(resource);
    if (!known) this.#health.set(resource, (known = new EndpointHealth()));
    return known;
  }

  /** Throws for a path that the protocol of the provider does not have. */
  #pathOf(path: CallPath): OpenPath {
    const known = this.#paths.get(path);
    if (known) return known;
    const { name, paths } = this.#access.protocol;
    const form = Object.hasOwn(paths, path) ? paths[path] : undefined;
    if (!form) throw new DataDesignerError('internal/unexpected', { reason: `${name} has no call path '${path}'` });
    const opened = { path: pathOf(this.#access, path), form };
    this.#paths.set(path, opened);
    return opened;
  }
}

/** A call path at this endpoint, and the form of its answers. */
interface OpenPath {
  readonly path: string;
  readonly form: AnswerForm;
}

/** Provider and model, as failures name them. */
function modelOf({ resource }: Call): string {
  return resource.replace(/^model\//, '');
}

/** Statuses with which gateways refuse a wrong key, a missing one, or a model that they do not know. */
function mayBeAccess(status: number): boolean {
  return [400, 401, 403, 404].includes(status) || status >= 500;
}
