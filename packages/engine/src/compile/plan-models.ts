import {
  type CallLimits,
  DEFAULT_MODEL_PROTOCOL,
  type DrawnParameter,
  FUNCTIONS,
  type GenerationType,
  MEGABYTE,
  type PlannedColumn,
  type PlannedModel,
  type PlannedProfiler,
  type PlannedTools,
  type Resource,
  ROWS_WITH_SERVERS,
  programsOf,
  serverOf,
  TOOL_DEFAULTS,
  toolsOf,
} from '@data-designer/core';
import {
  ATTEMPT_TIMEOUT_SECONDS,
  type DatasetConfig,
  type Distribution,
  type InferenceParameters,
  MAX_ANSWER_MB,
  MAX_PARALLEL_TOOL_CALLS,
  type ModelConfig,
  type ModelProvider,
  type PriceOf,
  type ToolConfig,
  TOTAL_TIMEOUT_SECONDS,
} from '@data-designer/config';
import { type Environment, kindOf } from '@data-designer/environments';
import { chosenRules } from '@data-designer/models/protocols';

/** The resource of work that the calling program's functions do themselves: the gateway only journals its outcomes. */
const FUNCTIONS_RESOURCE: Resource = { id: FUNCTIONS, kind: 'functions', provider: '', limit: 64, pool: FUNCTIONS };

/** The models, tools and limits that a plan's columns use, and no others. */
export interface PlannedResources {
  readonly models: Readonly<Record<string, PlannedModel>>;
  readonly tools: Readonly<Record<string, PlannedTools>>;
  readonly resources: readonly Resource[];
}

/** Plans models, tools and their resources. Names are checked already. */
export function planResources(
  columns: readonly PlannedColumn[],
  config: DatasetConfig,
  { providers, priceOf }: { readonly providers: readonly ModelProvider[]; readonly priceOf: PriceOf },
): PlannedResources {
  const aliases = new Set(columns.flatMap(({ requires }) => requires.models));
  const toolAliases = new Set(columns.flatMap(({ requires }) => requires.tools));
  // Of two configs with one alias the later counts (as in NeMo Data Designer).
  const models = new Map(config.modelConfigs.filter(({ alias }) => aliases.has(alias)).map((one) => [one.alias, one]));
  const tools = new Map(
    config.toolConfigs.filter(({ toolAlias }) => toolAliases.has(toolAlias)).map((one) => [one.toolAlias, one]),
  );
  const byName = new Map(providers.map((provider) => [provider.name, provider]));
  return {
    models: mapRecord(models, (model) => planModel(model, { provider: byName.get(model.provider), priceOf })),
    tools: mapRecord(tools, planTools),
    resources: [
      ...modelResources([...models.values()]),
      ...toolResources([...tools.values()], config.environments ?? []),
      ...rowResource(columns, config.environments ?? []),
      ...(columns.some(({ requires }) => requires.recordsOutcomes) ? [FUNCTIONS_RESOURCE] : []),
      ...columns.flatMap(serverResource),
      ...joinResources(columns.flatMap(programsResource)),
    ],
  };
}

/** The models of profilers, which a run does not use. */
export function planProfilers(
  { profilers, modelConfigs }: DatasetConfig,
  { providers, priceOf }: { readonly providers: readonly ModelProvider[]; readonly priceOf: PriceOf },
): readonly PlannedProfiler[] {
  return profilers.flatMap(({ modelAlias, summaryScoreSampleSize: sampleSize }) => {
    const config = modelConfigs.findLast(({ alias }) => alias === modelAlias);
    const [resource] = config ? modelResources([config]) : [];
    if (!config || !resource) return [];
    const provider = providers.find(({ name }) => name === config.provider);
    return [{ model: planModel(config, { provider, priceOf }), resource, sampleSize }];
  });
}

function mapRecord<In, Out>(map: ReadonlyMap<string, In>, change: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries([...map].map(([key, value]) => [key, change(value)]));
}

/** The prefix of a resource's name: each kind of request to a model has its own limit. */
const DOMAINS = { 'chat-completion': 'model', embedding: 'embedding', image: 'image' } as const satisfies Record<
  GenerationType,
  string
>;

function modelResource({ provider, model, inferenceParameters }: ModelConfig): string {
  return `${DOMAINS[inferenceParameters.generationType]}/${segment(provider)}/${model}`;
}

/** A name escaped as one step of a path. */
function segment(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('/', '%2F');
}

/** Only what is set is sent; a provider's extra body wins over the model's (as in NeMo Data Designer). */
function planModel(
  config: ModelConfig,
  { provider, priceOf }: { readonly provider: ModelProvider | undefined; readonly priceOf: PriceOf },
): PlannedModel {
  const { generationType, extraBody } = config.inferenceParameters;
  const own = ownParameters(config.inferenceParameters).filter(([, value]) => value !== null);
  const standing = own.filter(([, value]) => !isDrawn(value));
  const rules = provider?.requestRules ?? chosenRules(provider?.endpoint ?? '', config.model);
  const parameters = { ...Object.fromEntries(standing), ...extraBody, ...provider?.extraBody };
  return {
    alias: config.alias,
    resource: modelResource(config),
    model: config.model,
    generationType,
    // Servers started with a run are not declared providers.
    protocol: provider?.providerType ?? DEFAULT_MODEL_PROTOCOL,
    ...(rules !== undefined && { requestRules: rules }),
    ...(provider?.returnUnknownFields === false && { takesKnownFieldsOnly: true }),
    structuredOutput: config.structuredOutput ?? null,
    pricing: config.pricing ? { output: 0, ...config.pricing } : (priceOf(config.provider, config.model) ?? null),
    parameters,
    drawn: Object.fromEntries(own.flatMap(([name, value]) => (isDrawn(value) ? [[name, planDraw(value)]] : []))),
    ...limitsOfCalls(config.inferenceParameters),
  };
}

/** The default total deadline is at least one attempt's timeout. */
function limitsOfCalls({ generationType, timeout, totalTimeout, maxAnswerMb }: InferenceParameters): CallLimits {
  const seconds = timeout ?? ATTEMPT_TIMEOUT_SECONDS;
  return {
    timeoutMs: seconds * 1000,
    deadlineMs: (totalTimeout ?? Math.max(TOTAL_TIMEOUT_SECONDS, seconds)) * 1000,
    maxAnswerBytes: (maxAnswerMb ?? MAX_ANSWER_MB[generationType]) * MEGABYTE,
  };
}

/** The parameters of a model's requests, in the order in which they are sent; protocols may rename them. */
function ownParameters(parameters: InferenceParameters): [string, number | string | Distribution | null][] {
  if (parameters.generationType === 'embedding') {
    return [
      ['encoding_format', parameters.encodingFormat],
      ['dimensions', parameters.dimensions],
    ];
  }
  if (parameters.generationType === 'image') return [];
  const { temperature, topP, maxTokens } = parameters;
  return [
    ['temperature', temperature],
    ['top_p', topP],
    ['max_tokens', maxTokens],
  ];
}

function isDrawn(value: number | string | Distribution | null): value is Distribution {
  return typeof value === 'object' && value !== null;
}

/** A distribution with its weights as upper bounds in [0, 1). */
function planDraw(distribution: Distribution): DrawnParameter {
  if (distribution.distributionType === 'uniform') return distribution.params;
  const { values, weights } = distribution.params;
  let sum = 0;
  const bounds = values.map((_, index) => (sum += weights?.[index] ?? 1 / values.length));
  return { values, bounds };
}

function planTools({
  toolAlias,
  timeoutSec,
  resetTimeoutOnProgress = false,
  maxTotalTimeoutSec = TOOL_DEFAULTS.maxTotalTimeoutSec,
  ...config
}: ToolConfig): PlannedTools {
  const timeoutMs = (timeoutSec ?? TOOL_DEFAULTS.timeoutSec) * 1000;
  const deadlineMs = Math.max(timeoutMs, maxTotalTimeoutSec * 1000);
  return { alias: toolAlias, ...config, timeoutMs, ...(resetTimeoutOnProgress && { deadlineMs }) };
}

/** One resource for each kind of request to a model. */
function modelResources(models: readonly ModelConfig[]): Resource[] {
  return joinResources(
    models.map((config) => {
      const { provider, model, inferenceParameters: own } = config;
      const pool = `model/${segment(provider)}/${model}`;
      const limit = own.maxParallelRequests;
      return { id: modelResource(config), kind: 'model', provider, limit, ...ratesOf(own), pool };
    }),
  );
}

/** One resource for each name: aliases, or plans, share the largest of their limits and the smallest of their rates. */
export function joinResources(resources: readonly Resource[]): Resource[] {
  const joined = new Map<string, Resource>();
  for (const resource of resources) {
    const known = joined.get(resource.id);
    const limit = Math.max(resource.limit, known?.limit ?? 0);
    joined.set(resource.id, { ...(known ?? resource), limit, ...ratesOf(resource, known) });
  }
  return [...joined.values()];
}

type Rates = Pick<Resource, 'requestsPerMinute' | 'tokensPerMinute'>;

function ratesOf(own: Rates, known: Rates = {}): Rates {
  const requests = Math.min(own.requestsPerMinute ?? Infinity, known.requestsPerMinute ?? Infinity);
  const tokens = Math.min(own.tokensPerMinute ?? Infinity, known.tokensPerMinute ?? Infinity);
  return {
    ...(requests < Infinity ? { requestsPerMinute: requests } : {}),
    ...(tokens < Infinity ? { tokensPerMinute: tokens } : {}),
  };
}

/** The programs of a provider that wait for a sandbox at a time. */
const MOST_PROGRAMS = 16;

function programsResource({ requires: { programs } }: PlannedColumn): Resource[] {
  if (!programs) return [];
  const id = programsOf(programs.provider);
  return [{ id, kind: 'programs', provider: programs.provider, limit: MOST_PROGRAMS, pool: id }];
}

function serverResource({ name, requires: { server } }: PlannedColumn): Resource[] {
  if (!server) return [];
  const id = serverOf(name);
  return [{ id, kind: 'server', provider: id, limit: server.limit, pool: id, server }];
}

/** Worlds in the worker need no resource; those with a server of their own have that of their provider. */
function toolResources(tools: readonly ToolConfig[], environments: readonly Environment[]): Resource[] {
  const worlds = new Map(environments.map((one) => [one.name, one]));
  const names = new Set(tools.flatMap(({ providers }) => providers));
  return [...names].flatMap((provider): Resource[] => {
    const world = worlds.get(provider);
    const rowServer = world && kindOf(world).provider?.(world);
    if (world && rowServer === undefined) return [];
    const id = toolsOf(provider);
    const own = {
      ...(rowServer !== undefined && { rowServer }),
      ...(world?.toolPrefix !== undefined && { toolPrefix: world.toolPrefix }),
    };
    return [{ id, kind: 'tools', provider, ...own, limit: MAX_PARALLEL_TOOL_CALLS, pool: id }];
  });
}

/** The rows that may have capped worlds at a time: as many as the strictest of their environments allows. */
function rowResource(columns: readonly PlannedColumn[], environments: readonly Environment[]): Resource[] {
  const used = new Set(columns.flatMap((column) => column.environments ?? []));
  const caps = environments.flatMap((one) => (used.has(one.name) ? (kindOf(one).mostRows?.(one) ?? []) : []));
  if (caps.length === 0) return [];
  const limit = Math.min(...caps);
  return [{ id: ROWS_WITH_SERVERS, kind: 'rows', provider: '', limit, pool: ROWS_WITH_SERVERS }];
}
