import {
  type Address,
  type Call,
  type CallOutcome,
  DataDesignerError,
  type Redact,
  type Resource,
  TOOL_DEFAULTS,
  type ToolFailureKind,
  toolsOf,
  type ToolSchema,
  WEB,
} from '@data-designer/core';
import type { ExecutionProvider, Providers } from '@data-designer/config';
import {
  keptOutcome,
  type LocalCalls,
  LocalProviders,
  type GroupServers,
  type LocalToolSource,
  noProvider,
  readFunctionRequest,
  readToolRequest,
  type ToolProvider,
  type RowServers,
  failureKindOf,
  type ToolsFileOrigin,
  ToolSessions,
} from '@data-designer/mcp';
import type { GatewayEvent } from './gateway-event.ts';
import type { AdmissionSettings } from './admission/adaptive-limit.ts';
import type { Admission } from './admission/admission.ts';
import { Budget, type BudgetOptions } from './admission/budget.ts';
import type { MachineShares, MachineUse } from './admission/cluster-limits.ts';
import { ClusterShares } from './admission/cluster-shares.ts';
import type { JointLimits } from './admission/joint-limits.ts';
import type { ModelEndpoint } from './http/model-endpoint.ts';
import type { ModelState } from './admission/model-state.ts';
import { type LastRows, priorityOf } from './admission/last-rows.ts';
import { PictureRefusals } from './http/picture-refusals.ts';
import { openProviders, openToolFetch, type ToolFetch } from './http/open-providers.ts';
import { type PauseWatch, watchPauses } from './admission/pause-watch.ts';
import { ResourceQueues, runIsOver } from './admission/resource-queues.ts';
import { meantWaitOf } from './http/retry-after.ts';
import { RecordServers } from './downloads/record-server.ts';
import type { SendOptions } from './http/send-with-retries.ts';
import { redactedOutcome } from './http/take-answer.ts';
import { type GuardedWeb, WebReader } from './downloads/web-reader.ts';

/** The resources of a plan, how their providers are reached, and what the run may spend. */
export interface ProviderRouterOptions {
  readonly resources: readonly Resource[];
  readonly providers: Providers;
  /** Tools that are functions or modules; one of the same name as an MCP provider wins. */
  readonly localTools?: readonly LocalToolSource[] | undefined;
  /** The tool schemas that models see, by provider; a provider that is absent lists its tools now. */
  readonly frozen: Readonly<Record<string, readonly ToolSchema[]>>;
  /** The files that tell of tools; their servers are asked at their first call, and a difference is reported. */
  readonly toolsFiles?: readonly ToolsFileOrigin[] | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Child processes of tool servers at a time; if null or absent the default, or what a provider has for itself. */
  readonly maxToolServers?: number | null | undefined;
  /** The settings of adaptive limits; the defaults if null or absent. */
  readonly admission?: AdmissionSettings | null | undefined;
  /** No bound if absent. */
  readonly budget?: BudgetOptions | undefined;
  /** Whether downloads may reach this machine and its network; false if absent. */
  readonly allowPrivate?: boolean | undefined;
  /** The last rows of the run, whose calls have other priorities; if absent, all rows go in their order. */
  readonly last?: LastRows | undefined;
}

/** What the I/O thread gives its router. */
export interface ProviderRouterParts {
  /** The client for downloads; without it none are made. */
  readonly web?: GuardedWeb;
  /** Called with events of models, tool servers and function tools; must not throw. */
  readonly onEvent?: (event: GatewayEvent) => void;
  /** Calls to functions of the calling program; without them functions cannot run. */
  readonly functions?: LocalCalls;
  /** Reports the use of this machine to its cluster, which answers by `takeShares`; absent on one machine. */
  readonly exchange?: ((use: MachineUse) => void) | undefined;
  /** The limits that this run shares with others of the thread; its own if absent. */
  readonly joint?: { readonly limits: JointLimits; readonly account: string } | undefined;
}

/** The calls after which a provider that has answered none ends the run. */
const MOST_UNANSWERED = 10;
/** In place of a count, for a provider that has answered. */
const ANSWERED = -1;
/** The failures without an answer. */
const NO_ANSWER: ReadonlySet<ToolFailureKind> = new Set(['connection', 'timeout']);

/** What the row of a call sends it with. */
type SentRow = Pick<SendOptions, 'permit' | 'signal' | 'rowOver'>;

/** An outcome, and whether the journal keeps it. */
interface Sent {
  readonly outcome: CallOutcome;
  readonly keep: boolean;
}

/** The models, tools and servers of a run: one queue per resource, connections per provider, and the resolved keys. */
export class ProviderRouter implements AsyncDisposable {
  readonly #queues: ResourceQueues;
  readonly #cluster: ClusterShares | undefined;
  readonly #stopped = new AbortController();
  readonly #budget: Budget | undefined;
  readonly #modelsStopped: AbortSignal;
  #turnedAway = false;
  readonly #endpoints: ReadonlyMap<string, ModelEndpoint>;
  readonly #tools: ReadonlyMap<string, ToolProvider>;
  readonly #programs: ReadonlyMap<string, ExecutionProvider>;
  readonly #toolFetch: ToolFetch = openToolFetch();
  readonly #sessions: ToolSessions;
  readonly #rowServers: Promise<RowServers> | undefined;
  readonly #local: LocalProviders;
  readonly #web: WebReader | undefined;
  readonly #servers: RecordServers;
  readonly #frozen: ProviderRouterOptions['frozen'];
  /** The calls of each provider that has answered none. */
  readonly #unanswered = new Map<string, number>();
  /** The files whose servers have not been asked yet. */
  readonly #uncompared: Map<string, ToolsFileOrigin>;
  readonly #onEvent: ProviderRouterParts['onEvent'];
  /** Redacts the secrets of the run from everything but answers. */
  readonly redact: Redact;
  readonly #pauses: PauseWatch | undefined;
  readonly #pictures: PictureRefusals;
  readonly #last: LastRows | undefined;

  /** Throws `secret/missing` and `model/unusable-provider`. */
  constructor(options: ProviderRouterOptions, { web, onEvent, functions, exchange, joint }: ProviderRouterParts = {}) {
    const { resources, providers, frozen, environment, admission, budget, allowPrivate = false } = options;
    this.#frozen = frozen;
    this.#last = options.last;
    this.#local = new LocalProviders(options.localTools ?? [], { host: functions, onNote: onEvent });
    const servers = { ...providers, tools: providers.tools.filter(({ name }) => !this.#local.has(name)) };
    const { endpoints, tools, programs, redact } = openProviders(servers, resources, environment);
    this.#endpoints = endpoints;
    this.#tools = tools;
    this.#programs = programs;
    this.redact = redact;
    const ownMost = [...tools.values()].map(({ maxSessions = 1 }) => maxSessions);
    const mostProcesses = options.maxToolServers ?? Math.max(TOOL_DEFAULTS.servers, ...ownMost);
    this.#sessions = new ToolSessions({ fetch: this.#toolFetch.fetch, onEvent, redact, mostProcesses });
    this.#uncompared = new Map((options.toolsFiles ?? []).map((file) => [file.provider, file]));
    this.#onEvent = onEvent;
    this.#rowServers = openRowServers(resources, tools, redact);
    const pauses = onEvent && watchPauses(onEvent, redact);
    this.#pauses = pauses;
    this.#pictures = new PictureRefusals(onEvent);
    this.#cluster = exchange && new ClusterShares({ maxCost: budget?.maxCost ?? null, exchange });
    this.#queues = new ResourceQueues(resources, {
      cluster: this.#cluster,
      toolProviders: servers.tools,
      joint: joint?.limits,
      ...(admission ? { settings: admission } : {}),
      ...(pauses ? { onChange: ({ resource: { id }, admission: { stoppedMs } }) => pauses.look(id, stoppedMs) } : {}),
    });
    this.#web = web && new WebReader(web, { allowPrivate });
    this.#servers = new RecordServers(web, { allowPrivate });
    const ledger = joint && budget ? joint.limits.ledger(joint.account, budget) : undefined;
    this.#budget = budget && new Budget(budget, ledger ?? this.#cluster?.ledger(budget));
    const signals = [this.#stopped.signal, ...(this.#budget ? [this.#budget.spent] : [])];
    this.#modelsStopped = AbortSignal.any(signals);
    if (this.#budget?.spent.aborted) this.#queues.pauseModels();
    else this.#budget?.spent.addEventListener('abort', () => this.#queues.pauseModels());
    this.#cluster?.begin((resource) => this.#queues.admission(resource));
  }

  /** The queue of a resource. */
  admission(resource: string): Admission {
    return this.#queues.admission(resource);
  }

  /** The position of a call in its queue: the lowest goes first. */
  priorityOf(at: Address): number {
    return priorityOf(at, this.#last);
  }

  /** Sends an admitted call to its provider. Redacts secrets from refusals. */
  async send(call: Call, { permit, signal, rowOver }: SentRow): Promise<Sent> {
    const { resource, admission } = this.#queues.queue(call.resource);
    const paused = this.stopped(call.resource);
    const options = { admission, permit, priority: this.priorityOf(call), signal, rowOver, paused };
    if (resource.id === WEB) return this.#download(call, options);
    if (resource.kind === 'server') {
      const outcome = await this.#servers.send(call, resource, options);
      return { outcome, keep: resource.server !== undefined };
    }
    if (resource.kind === 'programs') return this.#runPrograms(call, resource, options);
    return resource.kind === 'tools'
      ? this.#callTool(call, resource, options)
      : this.#askModel(call, resource, options);
  }

  /** Aborted once nothing new may be sent to a resource; the reason is the failure to report. */
  stopped(resource: string): AbortSignal {
    return this.#queues.queue(resource).resource.kind === 'model' ? this.#modelsStopped : this.#stopped.signal;
  }

  /** The resource of a name, and host and port of its endpoint if it is a model. */
  targetOf(name: string): { readonly resource: Resource; readonly server: string } {
    const { resource } = this.#queues.queue(name);
    return { resource, server: this.#endpoints.get(resource.provider)?.server ?? '' };
  }

  /** From now on nothing new is admitted or sent; calls in flight go on. */
  pause(): void {
    this.#stopped.abort(runIsOver());
    this.#queues.pause();
  }

  /** Takes new shares of the limits of the cluster; undefined if it could not be reached. */
  takeShares(shares: MachineShares | undefined): void {
    this.#cluster?.take(shares);
  }

  /** Exchanges with the cluster at once. */
  exchangeNow(): void {
    this.#cluster?.exchangeNow();
  }

  /** Aborted with `run/budget-spent` when the budget is spent; undefined without a budget. */
  get spent(): AbortSignal | undefined {
    return this.#budget?.spent;
  }

  /** Records that the budget did not allow a call. */
  turnAway(): void {
    this.#turnedAway = true;
  }

  /** Whether calls to models wait, or were refused by the budget. */
  get wantsMore(): boolean {
    return this.#turnedAway || this.#queues.modelsAreWanted;
  }

  /** The state of each model now. */
  get modelStates(): readonly ModelState[] {
    return this.#queues.modelStates;
  }

  /** The tools of a provider as models see them. */
  async frozenTools(name: string): Promise<readonly ToolSchema[]> {
    return this.#frozen[name] ?? this.listTools(name);
  }

  /** The tools of a provider as it lists them; throws `tool/unavailable`. */
  async listTools(name: string, { rests = false } = {}): Promise<readonly ToolSchema[]> {
    const ofRows = await this.#rowServers;
    if (ofRows?.has(toolsOf(name))) return ofRows.listTools(toolsOf(name));
    const isLocal = this.#local.has(name);
    const prefix = isLocal ? this.#local.prefixOf(name) : this.#provider(name).toolPrefix;
    const listed = await (isLocal ? this.#local.listTools(name) : this.#sessions.listTools(this.#provider(name)));
    if (rests && !isLocal) await this.#sessions.rest(this.#provider(name));
    return prefix === undefined ? listed : listed.map((schema) => ({ ...schema, prefix }));
  }

  /** The names of the models that a provider lists; throws `model/not-listed`. */
  async listModels(name: string): Promise<readonly string[]> {
    const endpoint = this.#endpoints.get(name);
    if (!endpoint) throw unexpected(`the model provider '${name}' is not open`);
    return endpoint.listModels(name);
  }

  /** Records that the journal holds an answer to a call from an earlier run. */
  servedEarlier(call: Call, { body }: CallOutcome): void {
    const { resource } = this.#queues.queue(call.resource);
    if (resource.kind === 'server') this.#servers.servedEarlier(resource.id);
    else this.#endpoints.get(resource.provider)?.servedEarlier(call, body);
  }

  /** The servers of the rows of one row group; `home` stands for its dataset. */
  async serversOfRows(home: string | undefined): Promise<GroupServers> {
    const servers = await this.#rowServers;
    if (!servers) throw unexpected('no row of this plan has a server of its own');
    return servers.ofGroup(home);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cluster?.end();
    await Promise.allSettled([
      this.#rowServers?.then((servers) => servers[Symbol.asyncDispose]()),
      this.#sessions[Symbol.asyncDispose](),
      this.#local[Symbol.asyncDispose](),
      ...[...this.#endpoints.values()].map((endpoint) => endpoint[Symbol.asyncDispose]()),
    ]);
    // Sessions send their goodbye over these connections first.
    await this.#toolFetch[Symbol.asyncDispose]();
  }

  async #askModel(call: Call, { id, provider }: Resource, options: SendOptions): Promise<Sent> {
    const endpoint = this.#endpoints.get(provider);
    if (!endpoint) {
      options.permit.release();
      throw unexpected(`no provider of '${id}' is open`);
    }
    const refusal = this.#pictures.refusalOf(call);
    if (refusal) {
      options.permit.release();
      return { outcome: refusal, keep: false };
    }
    const onOutcome = (outcome: CallOutcome): void => {
      this.#budget?.take(id, call.path, outcome);
      this.#pauses?.note(id, outcome, outcome.status === 429 ? meantWaitOf(outcome, Date.now()) : undefined);
    };
    const outcome = await endpoint.send(call, { ...options, onOutcome });
    const { status, headers, verdict } = outcome;
    const isAnswer = status < 300 && !verdict;
    const told = isAnswer ? outcome : redactedOutcome(outcome, this.redact);
    this.#pictures.note(call, told);
    return { outcome: told, keep: isAnswer && /json/i.test(headers['content-type'] ?? '') };
  }

  async #callTool(call: Call, { provider }: Resource, { permit, signal }: SendOptions): Promise<Sent> {
    const { body, timeoutMs, deadlineMs } = call;
    const file = this.#uncompared.get(provider);
    if (file) void this.#compareWithFile(file);
    const limits = { timeoutMs, signal };
    const started = performance.now();
    try {
      const outcome = await (this.#local.has(provider)
        ? this.#local.call(provider, readFunctionRequest(body), {
            ...limits,
            row: { index: call.row, values: call.values?.() ?? {} },
          })
        : this.#sessions.call(this.#provider(provider), readToolRequest(body), { ...limits, longestMs: deadlineMs }));
      this.#noteAnswer(provider, outcome);
      return { outcome: keptOutcome(outcome, performance.now() - started), keep: true };
    } finally {
      permit.release();
    }
  }

  /** Has the command of a provider run programs; what they did is journaled, without the secrets of the run. */
  async #runPrograms({ body }: Call, { provider }: Resource, { permit }: SendOptions): Promise<Sent> {
    try {
      const declared = this.#programs.get(provider);
      if (!declared) throw unexpected(`the execution provider '${provider}' is not open`);
      const { runCommand } = await import('./run-command.ts');
      return { outcome: { status: 200, headers: {}, body: this.redact(await runCommand(declared, body)) }, keep: true };
    } finally {
      permit.release();
    }
  }

  /** Counts the first calls of a provider until it answers one; throws `tool/never-answered`, so that no more is paid for. */
  #noteAnswer(provider: string, outcome: CallOutcome): void {
    const unanswered = this.#unanswered.get(provider) ?? 0;
    if (unanswered === ANSWERED) return;
    const isAnswer = outcome.status === 200 || !NO_ANSWER.has(failureKindOf(outcome));
    this.#unanswered.set(provider, isAnswer ? ANSWERED : unanswered + 1);
    if (isAnswer || unanswered + 1 < MOST_UNANSWERED) return;
    const reason = this.redact(outcome.body);
    // Calls that were in flight at the last of them fail too.
    throw new DataDesignerError('tool/never-answered', { provider, calls: MOST_UNANSWERED, reason });
  }

  /** Compares the tools of a server with those that a file told of. The call meets a failure of the server itself. */
  async #compareWithFile(file: ToolsFileOrigin): Promise<void> {
    const { provider } = file;
    this.#uncompared.delete(provider);
    const [{ differencesIn }, listed] = await Promise.all([
      import('./tool-differences.ts'),
      this.listTools(provider).catch(() => undefined),
    ]);
    const differences = listed ? differencesIn(this.#frozen[provider] ?? [], listed) : [];
    if (differences.length > 0) this.#onEvent?.({ type: 'tools-change', provider, file, differences });
  }

  async #download(call: Call, options: SendOptions): Promise<Sent> {
    if (!this.#web) {
      options.permit.release();
      throw unexpected('the gateway has no client for downloads');
    }
    const outcome = await this.#web.send(call, options);
    return { outcome, keep: outcome.status < 300 };
  }

  #provider(name: string): ToolProvider {
    const provider = this.#tools.get(name);
    if (provider) return provider;
    throw noProvider(name);
  }
}

/** The servers that rows have for themselves; loaded where a plan has some. */
async function loadRowServers(
  starts: ConstructorParameters<typeof RowServers>[0],
  redact: Redact,
): Promise<RowServers> {
  const { RowServers: Loaded } = await import('@data-designer/mcp/row-servers');
  return new Loaded(starts, { redact });
}

function openRowServers(
  resources: readonly Resource[],
  tools: ReadonlyMap<string, ToolProvider>,
  redact: Redact,
): Promise<RowServers> | undefined {
  const starts = resources.flatMap(({ id, provider: name, rowServer, toolPrefix }) => {
    const started = rowServer === undefined ? undefined : tools.get(rowServer);
    if (!started) return [];
    const provider = toolPrefix === undefined ? started : { ...started, toolPrefix };
    return [[id, { provider, name }] as const];
  });
  return starts.length > 0 ? loadRowServers(new Map(starts), redact) : undefined;
}

function unexpected(reason: string): DataDesignerError {
  return new DataDesignerError('internal/unexpected', { reason });
}
