import { type Call, type CallOutcome, type CallPath, DataDesignerError, isFailure } from '@data-designer/core';
import { Connections } from './connections.ts';
import { headersOf, type ModelAccess, pathOf } from './model-access.ts';
import { type JsonPost, postJson } from './post-json.ts';
import { RETRY_POLICY } from './retry.ts';
import { Service } from './service.ts';
import { sendPatiently, type SendOptions, type Transport } from './send-patiently.ts';
import { takeAnswer } from './take-answer.ts';
import { transportReason } from './transport-reason.ts';

/** What is sent to an endpoint that is not there. */
const NO_TRIES = { requests: 0, refused: 0, possiblyPaid: 0 } as const;

/** One model provider: its connections, headers and key, and the retries of each call. */
export class ModelEndpoint implements AsyncDisposable {
  readonly #access: ModelAccess;
  readonly #connections: Connections;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #paths = new Map<CallPath, string>();
  readonly #services = new Map<string, Service>();
  readonly #policy;
  /** Whether anything ever came back from it, a refusal included. */
  #isThere = false;
  /** Why it was not to be reached, once that is settled. */
  #absence: string | undefined;

  constructor(access: ModelAccess, policy = RETRY_POLICY) {
    this.#access = access;
    this.#connections = new Connections(new URL(access.endpoint).origin, access.proxy);
    this.#headers = headersOf(access);
    this.#policy = policy;
  }

  /**
   * Sends a call until it is answered, finally refused, or its time is up; says of a refusal whom it meets. Throws
   * `model/unreachable` and `model/timed-out` with the requests that were made (`tries`), and `run/aborted`. Once a call
   * has found that nothing answers at the address, others find it at once.
   */
  async send(call: Call, options: SendOptions): Promise<CallOutcome> {
    const model = call.resource.replace(/^model\//, '');
    if (this.#absence !== undefined) {
      options.permit.release();
      throw notThere(model, { reason: this.#absence, tries: NO_TRIES });
    }
    const service = this.#serviceOf(call.resource);
    try {
      return meeting(
        await sendPatiently(call, this.#transport(call, { model, service, options }), options),
        call,
        service,
      );
    } catch (thrown) {
      if (this.#isThere || !isFailure(thrown, 'model/unreachable')) throw thrown;
      this.#absence = thrown.data.reason;
      throw notThere(model, thrown.data);
    }
  }

  /** An answer of a resource is at hand from an earlier run. */
  servedEarlier(resource: string): void {
    this.#serviceOf(resource).servedEarlier();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connections[Symbol.asyncDispose]();
  }

  #transport(
    call: Call,
    { model, service, options }: { readonly model: string; readonly service: Service; readonly options: SendOptions },
  ): Transport {
    const { timeoutMs } = call;
    return {
      policy: this.#policy,
      service,
      request: (remainingMs, onSent) => this.#post(call, { timeoutMs: remainingMs, signal: options.signal, onSent }),
      late: (cause, tries) => {
        const data = { model, timeoutMs, tries };
        return new DataDesignerError('model/timed-out', data, { cause });
      },
      unreachable: (cause, tries) => {
        const data = { model, reason: transportReason(cause), tries };
        return new DataDesignerError('model/unreachable', data, { cause });
      },
    };
  }

  async #post({ path, body }: Call, options: Pick<JsonPost, 'timeoutMs' | 'signal' | 'onSent'>): Promise<CallOutcome> {
    const post = { path: this.#pathOf(path), headers: this.#headers, body, ...options };
    const outcome = await this.#connections.use((connection) => postJson(connection, post));
    this.#isThere = true;
    return takeAnswer(outcome);
  }

  #serviceOf(resource: string): Service {
    let known = this.#services.get(resource);
    if (!known) this.#services.set(resource, (known = new Service()));
    return known;
  }

  #pathOf(path: CallPath): string {
    let known = this.#paths.get(path);
    if (known === undefined) this.#paths.set(path, (known = pathOf(this.#access, path)));
    return known;
  }
}

function notThere(model: string, { reason, ...data }: { readonly reason: string; readonly tries?: object }) {
  return new DataDesignerError('model/unreachable', { ...data, model, reason, forAll: true });
}

/** A request that has been under way for longer is being worked on. */
const SOON_REFUSED_MS = 5000;

/**
 * Whom a refusal meets. A model that has answered others is there, and may be asked: what it refuses then is a request.
 * One that has told everybody to come less often for as long as a row's call may wait, and works on nothing, serves
 * nobody; what is asked before the rows, under a number that no row has, waits less.
 */
function meeting(outcome: CallOutcome, { row, timeoutMs }: Call, service: Service): CallOutcome {
  const { status } = outcome;
  if ((status === 403 || status === 404) && service.hasServed) return { ...outcome, verdict: 'about-this' };
  if (status !== 429 || row < 0) return outcome;
  // The last wait of a call, which would end after its time, is not begun: so it may end when half of that is over.
  const isDry = service.refusingMs >= timeoutMs / 2 && !service.isBusyFor(Math.min(SOON_REFUSED_MS, timeoutMs / 4));
  return isDry ? { ...outcome, verdict: 'about-all' } : outcome;
}
