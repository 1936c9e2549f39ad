import {
  type Address,
  type CallOutcome,
  type ChatMessage,
  DataDesignerError,
  type Gateway,
  type PlannedTools,
  TOOL_DEFAULTS,
  type ToolBox,
  type ToolCall,
  type ToolSchema,
  type ToolTurnContext,
} from '@data-designer/core';
import { calledTool } from './called-tool.ts';
import { finishCall, type FinishedCall } from './finish-call.ts';
import { failedOutcome, prepareCall, type PreparedCall, type ToolOutcome } from './prepare-call.ts';
import { catalogOf, type OfferedTool, type ToolCatalog } from './tool-catalog.ts';
import { countCall, type ToolCounts } from './tool-counts.ts';
import { elapsedMsOf, failureKindOf } from './tool-outcome.ts';
import { abortFailure, unlessAborted } from './tool-session.ts';

const REFUSAL =
  'This tool call was not run: the turns for tool calls are used up. Give your final answer now, without calling tools.';

/** Counts calls of tools that do not exist: models invent any number of names. */
const UNKNOWN = { name: '(unknown)' };

/** A tool by name and description alone. */
export type ToolSummary = Pick<ToolSchema['function'], 'name' | 'description'>;

/**
 * The tools of one tool alias, as the conversations of a worker use them. A call is three steps with one outcome type:
 * `prepareCall`, `executeCall`, `finishCall`.
 */
export class MCPFacade implements ToolBox {
  readonly toolAlias: string;
  readonly providers: readonly string[];
  readonly maxToolCallTurns: number;
  /** The tools that may be called; null for all. */
  readonly allowTools: readonly string[] | null;
  readonly timeoutSec: number;
  /** Counts of the calls so far, by provider and the provider's name of the tool. */
  readonly counts: Record<string, ToolCounts>;
  readonly #config: PlannedTools;
  readonly #gateway: Gateway;
  #catalog: Promise<ToolCatalog> | undefined;

  constructor(config: PlannedTools, gateway: Gateway, counts: Record<string, ToolCounts> = {}) {
    this.toolAlias = config.alias;
    this.providers = config.providers;
    this.maxToolCallTurns = config.maxToolCallTurns;
    this.allowTools = config.allowTools;
    this.timeoutSec = config.timeoutMs / 1000;
    this.counts = counts;
    this.#config = config;
    this.#gateway = gateway;
  }

  /** The same alias with the tools of another gateway; calls are counted together. */
  with(gateway: Gateway): MCPFacade {
    return new MCPFacade(this.#config, gateway, this.counts);
  }

  /** Rejects with `tool/unavailable`, `tool/duplicate` or `tool/unknown`: faults of the configuration. */
  async getToolSchemas(): Promise<readonly ToolSchema[]> {
    return (await this.#listed()).schemas;
  }

  /** Names and descriptions only, under the names that models use; rejects as `getToolSchemas` does. */
  async getToolSummaries(): Promise<readonly ToolSummary[]> {
    const schemas = await this.getToolSchemas();
    return schemas.map(({ function: { name, description } }) => ({ name, description }));
  }

  /** The tools that may be called, by the names that models use. */
  async getOfferedTools(): Promise<ReadonlyMap<string, Pick<OfferedTool, 'provider' | 'name'>>> {
    return (await this.#listed()).tools;
  }

  /** The tools whose schemas cannot be used: their arguments are not checked. */
  async getUncheckedTools(): Promise<readonly Pick<OfferedTool, 'provider' | 'name'>[]> {
    const { tools } = await this.#listed();
    return [...tools.values()].filter(({ check }) => check === undefined);
  }

  /** The tools that are left out of requests because no model API accepts a form of their schemas. */
  async getDroppedTools(): Promise<readonly Pick<OfferedTool, 'provider' | 'name' | 'dropped'>[]> {
    return (await this.#listed()).dropped;
  }

  hasToolCalls(response: ChatMessage): boolean {
    return this.toolCallCount(response) > 0;
  }

  toolCallCount({ tool_calls: calls = [] }: ChatMessage): number {
    return calls.length;
  }

  async processCompletionResponse(response: ChatMessage, context: ToolTurnContext): Promise<readonly ChatMessage[]> {
    const { signal } = context;
    if (signal.aborted) throw abortFailure(signal);
    const catalog = await unlessAborted(this.#listed(), signal);
    // All calls are prepared before one is sent: a pattern that does not finish fails the cell.
    const prepared = (response.tool_calls ?? []).map((call) => ({ call, prepared: prepareCall(call, catalog) }));
    const messages = prepared.map((one) => this.#run(one, catalog, context));
    return [response, ...(await unlessAborted(Promise.all(messages), signal))];
  }

  refuseCompletionResponse(response: ChatMessage): readonly ChatMessage[] {
    const refusals = (response.tool_calls ?? []).map(({ id }): ChatMessage => ({
      role: 'tool',
      content: REFUSAL,
      tool_call_id: id,
    }));
    return [response, ...refusals];
  }

  /** Takes the call's number before anything is awaited, so that numbers follow the model's order. */
  async #run(
    { call, prepared }: { readonly call: ToolCall; readonly prepared: PreparedCall | ToolOutcome },
    catalog: ToolCatalog,
    { row, column, nextCall, onToolCall, values }: ToolTurnContext,
  ): Promise<ChatMessage> {
    const { name } = calledTool(call.function.name, catalog);
    const tool = catalog.tools.get(name) ?? catalog.hidden.get(name);
    const { timeoutMs, deadlineMs } = this.#config;
    const slot = { row, column, values, timeoutMs, ...(deadlineMs !== undefined && { deadlineMs }) };
    const outcome =
      prepared.kind === 'ready' ? await executeCall(this.#gateway, prepared, { ...slot, call: nextCall() }) : prepared;
    const { message, failure, isCut, isPart } = this.#finish(call, outcome, tool);
    const called = tool ? `${tool.provider}/${tool.name}` : null;
    onToolCall?.({ tool: called, failed: failure !== undefined, isCut, isPart });
    return message;
  }

  #finish(call: ToolCall, outcome: ToolOutcome, tool: OfferedTool | undefined): FinishedCall {
    const finished = finishCall(call, outcome, {
      maxChars: this.#config.maxResultChars ?? TOOL_DEFAULTS.maxResultChars,
      structured: this.#config.structured,
    });
    const bytes = outcome.kind === 'answered' ? Buffer.byteLength(outcome.body) : 0;
    const { failure } = finished;
    countCall(this.counts, tool ?? UNKNOWN, { ...(failure && { failure }), bytes, elapsedMs: outcome.elapsedMs });
    return finished;
  }

  /** Lists the tools once for all callers; after a failure the next caller lists them again. */
  #listed(): Promise<ToolCatalog> {
    this.#catalog ??= this.#list().catch((thrown: unknown) => {
      this.#catalog = undefined;
      throw thrown;
    });
    return this.#catalog;
  }

  async #list(): Promise<ToolCatalog> {
    const providers = [...new Set(this.#config.providers)];
    const offers = providers.map(async (provider) => ({ provider, tools: await this.#gateway.listTools(provider) }));
    return catalogOf(this.#config, await Promise.all(offers));
  }
}

/** The address of one call with its number, and its time limits. */
interface CallSlot extends Address, Pick<ToolTurnContext, 'values'> {
  readonly timeoutMs: number;
  readonly deadlineMs?: number;
}

/** Step 2 of a tool call: calls the tool through the gateway. A fault of the tool is an outcome; only a lost gateway or an abort is thrown. */
async function executeCall(gateway: Gateway, prepared: PreparedCall, slot: CallSlot): Promise<ToolOutcome> {
  const { resource, body } = prepared;
  try {
    return outcomeOf(await gateway.call({ resource, path: 'tools/call', body, ...slot }));
  } catch (thrown) {
    if (thrown instanceof DataDesignerError && thrown.code.startsWith('tool/'))
      return failedOutcome(thrown.message, 'connection');
    throw thrown;
  }
}

function outcomeOf(outcome: CallOutcome): ToolOutcome {
  const { status, body } = outcome;
  const elapsedMs = elapsedMsOf(outcome);
  if (status === 200) return { kind: 'answered', body, elapsedMs };
  const reason = body || `the tool provider answered ${status}`;
  return { ...failedOutcome(reason, failureKindOf(outcome)), elapsedMs };
}
