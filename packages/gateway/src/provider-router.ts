import {
  type Address,
  type Call,
  type CallOutcome,
  DataDesignerError,
  isForAll,
  type Redact,
  type Resource,
  type ToolSchema,
  WEB,
} from '@data-designer/core';
import type { MCPProvider, Providers } from '@data-designer/config';
import {
  keptOutcome,
  type LocalCalls,
  LocalProviders,
  type LocalToolSource,
  readFunctionRequest,
  readToolRequest,
  type ToolProvider,
  ToolSessions,
} from '@data-designer/mcp';
import type { GatewayEvent } from './gateway-event.ts';
import type { AdmissionSettings } from './admission/adaptive-limit.ts';
import type { Admission, Permit } from './admission/admission.ts';
import { Budget, type BudgetOptions } from './admission/budget.ts';
import type { ModelEndpoint } from './http/model-endpoint.ts';
import type { ModelState } from './thread/model-state.ts';
import { type LastRows, priorityOf } from './admission/last-rows.ts';
import { openProviders, openToolFetch, type ToolFetch } from './http/open-providers.ts';
import { type ModelPause, PauseWatch } from './admission/pause-watch.ts';
import { ResourceQueues } from './admission/resource-queues.ts';
import { RecordServers } from './http/record-server.ts';
import { refusesAll } from './admission/refuses-all.ts';
import { type GuardedWeb, WebReader } from './downloads/web-reader.ts';

/** What the I/O thread is given: the plan's resources, how their providers are reached, and what may be spent. */
export interface ProviderRouterOptions {
  readonly resources: readonly Resource[];
  readonly providers: Providers;
  /** Tools that are functions or modules; one of the same name as an MCP provider wins. */
  readonly localTools?: readonly LocalToolSource[] | undefined;
  /** Tools by provider as models are to be told of them; where a provider is absent, as it lists them now. */
  readonly frozen: Readonly<Record<string, readonly ToolSchema[]>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How the limits of endpoints are found; by the usual numbers where null or absent. */
  readonly admission?: AdmissionSettings | null | undefined;
  /** No bound where absent. */
  readonly budget?: BudgetOptions | undefined;
  /** Whether downloads may ask servers of this machine and its own network; false where absent. */
  readonly allowPrivate?: boolean | undefined;
  /** Where the run's end is near; rows go one after the other to their end where it is absent. */
  readonly last?: LastRows | undefined;
}

/** What the thread gives beside what is told. */
export interface ProviderRouterParts {
  /** Downloads; none are made where it is absent. */
  readonly web?: GuardedWeb;
  /** Told what becomes of models and tool servers, and what function tools say; must not throw. */
  readonly onEvent?: (event: GatewayEvent) => void;
  /** Calls to functions of the calling program; they cannot be run where it is absent. */
  readonly functions?: LocalCalls;
}

/** An outcome, and whether the journal keeps it. */
interface Sent {
  readonly outcome: CallOutcome;
  readonly keep: boolean;
}

interface Sending {
  readonly resource: Resource;
  readonly admission: Admission;
  readonly permit: Permit;
  /** As `priorityOf` says, for a further try. */
  readonly priority: number;
  readonly signal: AbortSignal;
}

/** Everything a run can reach: one queue for each resource, connections for each provider, keys resolved here only. */
export class ProviderRouter implements AsyncDisposable {
  readonly #queues: ResourceQueues;
  readonly #stopped = new AbortController();
  readonly #budget: Budget | undefined;
  readonly #modelsStopped: AbortSignal;
  #turnedAway = false;
  readonly #endpoints: ReadonlyMap<string, ModelEndpoint>;
  /** What a model answers to everything: a refusal that is not about one request. */
  readonly #refusals = new Map<string, CallOutcome>();
  readonly #tools: ReadonlyMap<string, ToolProvider>;
  readonly #toolFetch: ToolFetch = openToolFetch();
  readonly #sessions: ToolSessions;
  readonly #local: LocalProviders;
  readonly #web: WebReader | undefined;
  readonly #servers: RecordServers;
  readonly #frozen: ProviderRouterOptions['frozen'];
  /** Redacts the secrets of the run in what leaves this thread in words. */
  readonly redact: Redact;
  readonly #pauses: PauseWatch | undefined;
  readonly #last: LastRows | undefined;

  /** Throws `secret/missing` and `model/unusable-provider`. */
  constructor(options: ProviderRouterOptions, { web, onEvent, functions }: ProviderRouterParts = {}) {
    const { resources, providers, frozen, environment, admission, budget, allowPrivate = false } = options;
    this.#frozen = frozen;
    this.#last = options.last;
    this.#local = new LocalProviders(options.localTools ?? [], { host: functions, onNote: onEvent });
    const servers = { ...providers, tools: providers.tools.filter(({ name }) => !this.#local.has(name)) };
    const { endpoints, tools, redact } = openProviders(servers, resources, environment);
    this.#endpoints = endpoints;
    this.#tools = tools;
    this.redact = redact;
    this.#sessions = new ToolSessions({ fetch: this.#toolFetch.fetch, onEvent, redact });
    const tell = (pause: ModelPause) => onEvent?.({ type: 'model-pause', ...pause });
    const pauses = onEvent && new PauseWatch(tell, redact);
    this.#pauses = pauses;
    this.#queues = new ResourceQueues(resources.map(capBy(servers.tools)), {
      ...(admission ? { settings: admission } : {}),
      ...(pauses ? { onChange: ({ resource: { id }, admission: { stoppedMs } }) => pauses.look(id, stoppedMs) } : {}),
    });
    this.#web = web && new WebReader(web, { allowPrivate });
    this.#servers = new RecordServers(web, { allowPrivate });
    this.#budget = budget && new Budget(budget);
    const signals = [this.#stopped.signal, ...(this.#budget ? [this.#budget.spent] : [])];
    this.#modelsStopped = AbortSignal.any(signals);
    if (this.#budget?.spent.aborted) this.#queues.pauseModels();
    else this.#budget?.spent.addEventListener('abort', () => this.#queues.pauseModels());
  }

  admission(resource: string): Admission {
    return this.#queues.admission(resource);
  }

  /** Where a call stands among those that wait for the same place: the lowest goes first. */
  priorityOf(at: Address): number {
    return priorityOf(at, this.#last);
  }

  /** Sends an admitted call to where its resource lives. Redacts the secrets in what is no answer. */
  async send(call: Call, { permit, signal }: { permit: Permit; signal: AbortSignal }): Promise<Sent> {
    const { resource, admission } = this.#queues.queue(call.resource);
    const sending = { resource, admission, permit, priority: this.priorityOf(call), signal };
    if (resource.id === WEB) return this.#download(call, sending);
    if (resource.kind === 'server') return this.#validate(call, sending);
    return resource.kind === 'tools' ? this.#callTool(call, sending) : this.#askModel(call, sending);
  }

  /** Aborted once nothing new may be sent to a resource; the reason is the failure that says why. */
  stopped(resource: string): AbortSignal {
    return this.#queues.queue(resource).resource.kind === 'model' ? this.#modelsStopped : this.#stopped.signal;
  }

  /** From now on nothing new is admitted or sent; what is under way goes on. */
  pause(): void {
    this.#stopped.abort(runIsOver());
    this.#queues.pause();
  }

  /** Aborted with `run/budget-spent` when that is so; undefined without a budget. */
  get spent(): AbortSignal | undefined {
    return this.#budget?.spent;
  }

  /** Somebody could not ask because of the budget. */
  turnAway(): void {
    this.#turnedAway = true;
  }

  /** Whether more would be asked of models if there were money. */
  get wantsMore(): boolean {
    return this.#turnedAway || this.#queues.modelsAreWanted;
  }

  /** How each model stands now. */
  get modelStates(): readonly ModelState[] {
    return this.#queues.modelStates;
  }

  /** The tools of a provider as models are told of them. */
  async frozenTools(name: string): Promise<readonly ToolSchema[]> {
    return this.#frozen[name] ?? this.listTools(name);
  }

  /** The tools of a provider as it lists them; throws `tool/unavailable`. */
  async listTools(name: string): Promise<readonly ToolSchema[]> {
    const isLocal = this.#local.has(name);
    const prefix = isLocal ? this.#local.prefixOf(name) : this.#provider(name).toolPrefix;
    const listed = await (isLocal ? this.#local.listTools(name) : this.#sessions.listTools(this.#provider(name)));
    return prefix === undefined ? listed : listed.map((schema) => ({ ...schema, prefix }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([
      this.#sessions[Symbol.asyncDispose](),
      this.#local[Symbol.asyncDispose](),
      ...[...this.#endpoints.values()].map((endpoint) => endpoint[Symbol.asyncDispose]()),
    ]);
    // Sessions take leave of their servers first.
    await this.#toolFetch[Symbol.asyncDispose]();
  }

  async #askModel(call: Call, { resource, admission, permit, priority, signal }: Sending): Promise<Sent> {
    const endpoint = this.#endpoints.get(resource.provider) as ModelEndpoint;
    const sending = {
      permit,
      admission,
      priority,
      signal,
      paused: this.#modelsStopped,
      refusal: () => this.#refusals.get(resource.id),
      onOutcome: (one: CallOutcome) => this.#learn(call, one),
    };
    const outcome = await endpoint.send(call, sending).catch((thrown: unknown) => {
      // Whoever waits for a place finds out as well, and need not wait for that.
      if (thrown instanceof DataDesignerError && isForAll(thrown)) admission.open();
      throw thrown;
    });
    const { status, headers, verdict } = outcome;
    if (status < 300 && !verdict) return { outcome, keep: /json/i.test(headers['content-type'] ?? '') };
    if (verdict === 'about-all') this.#refuse(resource.id, outcome);
    return { outcome: this.#told(outcome), keep: false };
  }

  /** An outcome that is told alone, without secrets and not at length: every other call waits while it is redacted. */
  #told(outcome: CallOutcome): CallOutcome {
    const { body } = outcome;
    if (body.length <= MOST_TOLD) return this.redact(outcome);
    const told = this.redact({ ...outcome, body: body.slice(0, MOST_TOLD) });
    // The cut may go through a secret, of which the begin is not recognised.
    return { ...told, body: told.body.slice(0, -LONGEST_CUT) };
  }

  /** What an outcome means for the calls that wait: it comes before another one is admitted in its place. */
  #learn({ resource, path }: Call, outcome: CallOutcome): void {
    this.#budget?.take(resource, path, outcome);
    this.#pauses?.note(resource, outcome);
    if (refusesAll(outcome)) this.#refuse(resource, outcome);
  }

  /** Whoever asks a model from now on is told the same; nobody waits for that. */
  #refuse(resource: string, outcome: CallOutcome): void {
    this.#refusals.set(resource, { ...this.#told(outcome), tries: { requests: 0, refused: 0, possiblyPaid: 0 } });
    this.#queues.admission(resource).open();
  }

  /** An answer of an earlier run is at hand: the model was there, and may be asked. */
  servedEarlier(resource: string): void {
    const known = this.#queues.queue(resource).resource;
    if (known.kind === 'server') this.#servers.servedEarlier(resource);
    else this.#endpoints.get(known.provider)?.servedEarlier(resource);
  }

  async #callTool(call: Call, { resource, permit, signal }: Sending): Promise<Sent> {
    const started = performance.now();
    try {
      const outcome = await this.#runTool(call, { provider: resource.provider, signal });
      return { outcome: keptOutcome(outcome, performance.now() - started), keep: true };
    } finally {
      permit.release();
    }
  }

  async #runTool(
    { body, timeoutMs }: Call,
    { provider, signal }: { provider: string; signal: AbortSignal },
  ): Promise<CallOutcome> {
    const limits = { timeoutMs, signal };
    if (this.#local.has(provider)) return this.#local.call(provider, readFunctionRequest(body), limits);
    return this.#sessions.call(this.#provider(provider), readToolRequest(body), limits);
  }

  async #download(call: Call, { admission, permit, priority, signal }: Sending): Promise<Sent> {
    if (!this.#web) {
      permit.release();
      throw new DataDesignerError('internal/unexpected', { reason: 'nothing was given to download with' });
    }
    const options = { admission, permit, priority, signal, paused: this.#stopped.signal };
    const outcome = await this.#web.send(call, options);
    return { outcome, keep: outcome.status < 300 };
  }

  async #validate(call: Call, { resource, admission, permit, priority, signal }: Sending): Promise<Sent> {
    const options = { admission, permit, priority, signal, paused: this.#stopped.signal };
    const outcome = await this.#servers.send(call, resource, options);
    return { outcome, keep: resource.server !== undefined };
  }

  #provider(name: string): ToolProvider {
    const provider = this.#tools.get(name);
    if (provider) return provider;
    throw new DataDesignerError('tool/unavailable', {
      provider: name,
      reason: 'no provider of that name is configured',
    });
  }
}

/** Characters of an outcome that is no answer: of its words 500 are shown. */
const MOST_TOLD = 65_536;
/** Characters that a secret has at most, also where it is encoded. */
const LONGEST_CUT = 8192;

/** A tool provider may say how many calls at a time it bears. */
function capBy(providers: readonly MCPProvider[]): (resource: Resource) => Resource {
  const caps = new Map(providers.map(({ name, maxParallelCalls }) => [name, maxParallelCalls]));
  return (resource) => {
    const limit = resource.kind === 'tools' ? caps.get(resource.provider) : undefined;
    return limit === undefined ? resource : { ...resource, limit };
  };
}

/** What is told to who asks at the end of a run for something that is not at hand: `run/over`. */
export function runIsOver(): DataDesignerError {
  return new DataDesignerError('run/over', { reason: 'the run is about to end' });
}
