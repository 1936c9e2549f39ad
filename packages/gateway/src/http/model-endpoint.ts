import { buildConnector, Client, type Dispatcher, ProxyAgent } from 'undici';
import {
  type Call,
  type CallOutcome,
  type CallPath,
  DataDesignerError,
  isRetryableStatus,
  refusalText,
  type Tries,
} from '@data-designer/core';
import { type AnswerForm, failureOfOutcome } from '@data-designer/models/protocols';
import { AnswerMemory } from '../admission/answer-memory.ts';
import type { Transport } from './attempt-judge.ts';
import { BrokenOff, collectAnswer, speaksHttp, TooLong, transportReason } from './collect-answer.ts';
import { EndpointHealth, type FailureKind, refusesAll } from './endpoint-health.ts';
import { listModels } from './list-models.ts';
import { headersOf, type ModelAccess, pathOf } from './model-access.ts';
import { RETRY_POLICY, type SendOptions, sendWithRetries } from './send-with-retries.ts';
import { takeAnswer } from './take-answer.ts';

/** A call while it is sent. */
interface Sending {
  readonly call: Call;
  readonly health: EndpointHealth;
  readonly options: SendOptions;
}

/** One model provider: sends calls over its connections with its headers and key, and retries them. */
export class ModelEndpoint implements AsyncDisposable {
  readonly #access: ModelAccess;
  readonly #connections: Connections;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #paths = new Map<CallPath, OpenPath>();
  readonly #health = new Map<string, EndpointHealth>();
  readonly #policy;
  readonly #memory: AnswerMemory;
  /** Whether any response ever came from it, a refusal included. */
  #isThere = false;

  constructor(access: ModelAccess, policy = RETRY_POLICY, memory = new AnswerMemory()) {
    this.#access = access;
    this.#connections = new Connections(new URL(access.endpoint).origin, access.proxy);
    this.#headers = headersOf(access);
    this.#policy = policy;
    this.#memory = memory;
  }

  /** Host and port. */
  get server(): string {
    const { hostname, port, protocol } = new URL(this.#access.endpoint);
    return `${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`;
  }

  /**
   * Sends a call until it is answered, finally refused, or its time is up. The `verdict` of a refusal says whether it
   * concerns every request. Throws `model/*` failures with the number of requests (`tries`), and `run/aborted`. Once a
   * call has found that the endpoint serves nobody, the others end the same way without a request.
   */
  async send(call: Call, options: SendOptions): Promise<CallOutcome> {
    const sending = { call, options, health: this.#healthOf(call.resource) };
    try {
      return this.#withVerdict(await sendWithRetries(call, this.#transport(sending), options), sending);
    } catch (thrown) {
      throw thrown instanceof DataDesignerError ? this.#withForAll(thrown, sending) : thrown;
    }
  }

  /** The names of the models that the endpoint lists; throws `model/not-listed` with the name of the provider. */
  listModels(provider: string): Promise<readonly string[]> {
    const use: Connections['use'] = (work) => this.#connections.use(work);
    return listModels(this.#access, { use, memory: this.#memory, provider });
  }

  /** Records that the journal holds an answer to this call from an earlier run. */
  servedEarlier(call: Call, answer: string): void {
    const health = this.#healthOf(call.resource);
    health.servedEarlier();
    health.control.remember(call, answer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connections[Symbol.asyncDispose]();
  }

  #transport(sending: Sending): Transport {
    const { call, health, options } = sending;
    const model = modelOf(call);
    const { timeoutMs, deadlineMs } = call;
    return {
      policy: this.#policy,
      health,
      isWanted: () => options.admission.waiting > 0,
      request: (attemptMs, onSent, instead = call) =>
        this.#post({ ...sending, call: instead }, { timeoutMs: attemptMs, onSent }),
      late: (cause, tries, attemptMs) => {
        const isCut = deadlineMs !== undefined && attemptMs < timeoutMs;
        const data = { model, timeoutMs, ...(isCut ? { deadlineMs } : {}), tries };
        return new DataDesignerError('model/timed-out', data, { cause });
      },
      unreachable: (cause, tries) => {
        const isBroken = cause instanceof BrokenOff;
        if (isBroken) this.#isThere = true;
        const more = {
          ...(isBroken ? { status: cause.status } : {}),
          ...(speaksHttp(cause) ? { speaksHttp: true } : {}),
        };
        const data = { model, reason: transportReason(cause), ...more, tries };
        return new DataDesignerError('model/unreachable', data, { cause });
      },
      mustWait: ({ status, body }, waitMs, tries) => {
        const until = new Date(Date.now() + waitMs).toISOString();
        const data = { model, status, server: this.server, waitSeconds: Math.ceil(waitMs / 1000), until };
        const failure = new DataDesignerError('model/asked-to-wait', { ...data, reason: reasonIn(body) });
        return this.#failAll(failure, tries, sending);
      },
      tooLong: (cause, tries) => {
        if (!(cause instanceof TooLong)) return undefined;
        const data = { model, maxBytes: cause.maxBytes, tries };
        return new DataDesignerError('model/answer-too-long', data, { cause });
      },
    };
  }

  async #post(
    { call: { path, body, maxAnswerBytes: maxBytes }, health, options }: Sending,
    limits: { readonly timeoutMs: number; readonly onSent: () => void },
  ): Promise<CallOutcome> {
    const { form, ...target } = this.#pathOf(path);
    const post = { ...target, headers: this.#headers, method: 'POST', body } as const;
    const collecting = { maxBytes, memory: this.#memory, signal: options.signal, ...limits };
    const outcome = await this.#connections.use((connection) =>
      collectAnswer((collector) => void connection.dispatch(post, collector), collecting),
    );
    this.#isThere = true;
    const answer = takeAnswer(outcome, form);
    if (refusesAll(answer) && !health.mayRecover(answer)) this.#refuseAll(answer, { health, options });
    return answer;
  }

  /**
   * Adds whether a refusal concerns every request. A model that has answered other calls exists and may be called, so
   * its 403 and 404 concern one request. A refusal by a model that has answered none names the key and model it was sent, and
   * so does an unreadable answer.
   */
  #withVerdict(outcome: CallOutcome, { call, health, options }: Sending): CallOutcome {
    const { status, verdict, tries } = outcome;
    // It has outlasted an outage.
    if (refusesAll(outcome) && health.end === undefined) return this.#refuseAll(outcome, { health, options });
    if ((status === 403 || status === 404) && health.hasServed) return { ...outcome, verdict: 'about-this' };
    const isUnusable = verdict === 'unusable' || verdict === 'no-choice';
    if (status < 300 && !isUnusable) return outcome;
    const isAccess = status < 300 ? verdict === 'unusable' : !health.hasServed && mayBeAccess(status);
    const told = isAccess ? { ...outcome, sent: this.#sent(call, status) } : outcome;
    if (status === 429 && health.servesNobody('limited', call)) {
      return this.#refuseAll({ ...told, verdict: 'about-all' }, { health, options });
    }
    if (status === 429 || !(isUnusable || isRetryableStatus(status)) || !health.servesNobody('failed', call)) {
      return told;
    }
    const { form } = this.#pathOf(call.path);
    const failure = failureOfOutcome(told, { model: modelOf(call), timeoutMs: call.timeoutMs, form });
    throw this.#failAll(failure, tries, { health, options });
  }

  /** Marks the failure of a call as that of every call if the endpoint serves nobody. */
  #withForAll(failure: DataDesignerError, { call, health, options }: Sending): DataDesignerError {
    if (health.end instanceof DataDesignerError) return failure;
    const isLate = failure.code === 'model/timed-out';
    if (!isLate && failure.code !== 'model/unreachable') return failure;
    const how: FailureKind = isLate ? 'silent' : this.#isThere ? 'failed' : 'absent';
    const { tries } = failure.data as { readonly tries?: Tries };
    return health.servesNobody(how, call) ? this.#failAll(failure, tries, { health, options }) : failure;
  }

  /** Ends every further call with this refusal; calls that wait for a permit end at once. */
  #refuseAll(outcome: CallOutcome, { health, options }: Omit<Sending, 'call'>): CallOutcome {
    health.refuseAll(outcome);
    options.admission.open();
    return outcome;
  }

  #failAll(
    failure: DataDesignerError,
    tries: Tries | undefined,
    { health, options }: Omit<Sending, 'call'>,
  ): DataDesignerError {
    options.admission.open();
    return health.failAll(failure, tries);
  }

  #sent({ resource, path }: Call, status: number): string {
    const [, provider, ...name] = resource.split('/');
    const { endpoint, keyShown = 'no key' } = this.#access;
    const { origin, pathname } = new URL(this.#pathOf(path).path, endpoint);
    const isBare = /^\/+$/.test(new URL(endpoint).pathname);
    const hint = isBare ? `, but most endpoints end in /v1, as in ${origin}/v1` : '';
    const to = `${origin}${pathname} (provider '${provider}')${status === 404 ? hint : ''}`;
    return `the model name '${name.join('/')}' and ${keyShown} to ${to}`;
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

/** The words of a refusal, in one line. */
function reasonIn(body: string): string {
  return refusalText(body).replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_REASON);
}

const LONGEST_REASON = 300;

/** Statuses with which gateways refuse a wrong key, a missing one, or a model that they do not know; redirects too. */
function mayBeAccess(status: number): boolean {
  return status < 400 || [400, 401, 403, 404].includes(status) || status >= 500;
}

/** The endpoint limits the time of an attempt itself. */
const WITHOUT_LIMITS = { headersTimeout: 0, bodyTimeout: 0 } as const;
/** One connector for all clients: a client that makes its own costs 6 kB more. */
const CONNECT = buildConnector({});

/**
 * Connections to one server, each with one request at a time, opened when needed. Takes an idle one in one step, where
 * undici's `Pool` searches all: with thousands of connections the search costs more than the request. Connections
 * through a proxy are left to undici.
 */
export class Connections implements AsyncDisposable {
  readonly #origin: string;
  readonly #all: Client[] = [];
  readonly #idle: Client[] = [];
  readonly #proxy: ProxyAgent | undefined;
  readonly #proxied: Dispatcher | undefined;

  constructor(origin: string, proxy?: string) {
    this.#origin = origin;
    if (proxy === undefined) return;
    // Many proxies open tunnels to port 443 only, so plain HTTP goes through without a tunnel.
    const agent = new ProxyAgent({ uri: proxy, proxyTunnel: false });
    this.#proxy = agent;
    this.#proxied = agent.compose(
      (dispatch) => (request, handler) => dispatch({ ...WITHOUT_LIMITS, ...request, origin }, handler),
    );
  }

  /** Runs `work` with a connection of its own; the most recently used idle one goes first. */
  async use<Result>(work: (connection: Dispatcher) => Promise<Result>): Promise<Result> {
    if (this.#proxied) return work(this.#proxied);
    const client = this.#idle.pop() ?? this.#open();
    try {
      return await work(client);
    } finally {
      this.#idle.push(client);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#proxy?.destroy(), ...this.#all.map((client) => client.destroy())]);
  }

  #open(): Client {
    const client = new Client(this.#origin, { pipelining: 1, connect: CONNECT, ...WITHOUT_LIMITS });
    this.#all.push(client);
    return client;
  }
}
