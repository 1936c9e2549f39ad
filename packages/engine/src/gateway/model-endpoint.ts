import { type Call, type CallOutcome, type CallPath, DataDesignerError } from '@data-designer/core';
import { Connections } from './connections.ts';
import { headersOf, type ModelAccess, pathOf } from './model-access.ts';
import { type JsonPost, postJson } from './post-json.ts';
import { RETRY_POLICY } from './retry.ts';
import { Service } from './service.ts';
import { sendPatiently, type SendOptions, type Transport } from './send-patiently.ts';

/** One model provider: its connections, headers and key, and the retries of each call. */
export class ModelEndpoint implements AsyncDisposable {
  readonly #access: ModelAccess;
  readonly #connections: Connections;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #paths = new Map<CallPath, string>();
  readonly #services = new Map<string, Service>();
  readonly #policy;

  constructor(access: ModelAccess, policy = RETRY_POLICY) {
    this.#access = access;
    this.#connections = new Connections(new URL(access.endpoint).origin);
    this.#headers = headersOf(access);
    this.#policy = policy;
  }

  /**
   * Sends a call until it is answered, finally refused, or its time is up. Throws `model/unreachable` and
   * `model/timed-out` with the requests that were made (`tries`), and `run/aborted`.
   */
  send(call: Call, options: SendOptions): Promise<CallOutcome> {
    const { timeoutMs } = call;
    const model = call.resource.replace(/^model\//, '');
    const transport: Transport = {
      policy: this.#policy,
      service: this.#serviceOf(call.resource),
      request: (remainingMs, onSent) => this.#post(call, { timeoutMs: remainingMs, signal: options.signal, onSent }),
      late: (cause, tries) => {
        const data = { model, timeoutMs, tries };
        return new DataDesignerError('model/timed-out', data, { cause });
      },
      unreachable: (cause, tries) => {
        const data = { model, reason: cause instanceof Error ? cause.message : String(cause), tries };
        return new DataDesignerError('model/unreachable', data, { cause });
      },
    };
    return sendPatiently(call, transport, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connections[Symbol.asyncDispose]();
  }

  #post({ path, body }: Call, options: Pick<JsonPost, 'timeoutMs' | 'signal' | 'onSent'>): Promise<CallOutcome> {
    const post = { path: this.#pathOf(path), headers: this.#headers, body, ...options };
    return this.#connections.use((connection) => postJson(connection, post));
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
