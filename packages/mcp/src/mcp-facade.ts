import type {
  CallContext,
  ChatMessage,
  Gateway,
  PlannedTools,
  ToolBox,
  ToolCall,
  ToolSchema,
} from '@data-designer/core';
import { executeCall } from './execute-call.ts';
import { finishCall } from './finish-call.ts';
import { prepareCall, type PreparedCall, type ToolOutcome } from './prepare-call.ts';
import { catalogOf, type OfferedTool, type ToolCatalog } from './tool-catalog.ts';
import { countCall, type ToolCounts } from './tool-counts.ts';
import { abortFailure, unlessAborted } from './tool-session.ts';

const REFUSAL =
  'This tool call was not run: the turns for tool calls are used up. Give your final answer now, without calling tools.';

/**
 * Characters of a result that a model is shown unless its tool config says: about 100,000 tokens, most of the context
 * of common models. A longer one would end the conversation instead of serving it.
 */
const MAX_RESULT_CHARS = 400_000;

/** Where calls of tools that are not there are counted: models invent any number of names. */
const UNKNOWN = { name: '(unknown)' };

/** A tool by name and description alone. */
export interface ToolSummary {
  readonly name: string;
  readonly description: string;
}

/** The tools of one tool alias, as the conversations of a worker use them; everything outside goes through the gateway. */
export class MCPFacade implements ToolBox {
  readonly toolAlias: string;
  readonly providers: readonly string[];
  readonly maxToolCallTurns: number;
  /** The tools that may be called; null for all. */
  readonly allowTools: readonly string[] | null;
  readonly timeoutSec: number;
  /** What became of the calls so far, by provider and tool as its provider calls it. */
  readonly counts: Record<string, ToolCounts> = {};
  readonly #config: PlannedTools;
  readonly #gateway: Gateway;
  #catalog: Promise<ToolCatalog> | undefined;

  constructor(config: PlannedTools, gateway: Gateway) {
    this.toolAlias = config.alias;
    this.providers = config.providers;
    this.maxToolCallTurns = config.maxToolCallTurns;
    this.allowTools = config.allowTools;
    this.timeoutSec = config.timeoutMs / 1000;
    this.#config = config;
    this.#gateway = gateway;
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

  /** The tools whose schemas cannot be used: their arguments are passed on as models write them. */
  async getUncheckedTools(): Promise<readonly Pick<OfferedTool, 'provider' | 'name'>[]> {
    const { tools } = await this.#listed();
    return [...tools.values()].filter(({ check }) => check === undefined);
  }

  /** The tools that models are not told of, because no model API accepts a form of their schemas. */
  async getDroppedTools(): Promise<readonly Pick<OfferedTool, 'provider' | 'name' | 'dropped'>[]> {
    return (await this.#listed()).dropped;
  }

  hasToolCalls(response: ChatMessage): boolean {
    return this.toolCallCount(response) > 0;
  }

  toolCallCount({ tool_calls: calls = [] }: ChatMessage): number {
    return calls.length;
  }

  async processCompletionResponse(response: ChatMessage, site: CallContext): Promise<readonly ChatMessage[]> {
    if (site.signal.aborted) throw abortFailure(site.signal);
    const catalog = await unlessAborted(this.#listed(), site.signal);
    // Before any is sent: a pattern that does not finish ends the cell.
    const prepared = (response.tool_calls ?? []).map((call) => ({ call, prepared: prepareCall(call, catalog) }));
    const messages = prepared.map((one) => this.#run(one, catalog, site));
    return [response, ...(await unlessAborted(Promise.all(messages), site.signal))];
  }

  refuseCompletionResponse(response: ChatMessage): readonly ChatMessage[] {
    const refusals = (response.tool_calls ?? []).map(({ id }): ChatMessage => ({
      role: 'tool',
      content: REFUSAL,
      tool_call_id: id,
    }));
    return [response, ...refusals];
  }

  /** Takes the call's number before anything is awaited, so that numbers follow the order the model wrote. */
  async #run(
    { call, prepared }: { readonly call: ToolCall; readonly prepared: PreparedCall | ToolOutcome },
    catalog: ToolCatalog,
    { row, column, nextCall }: CallContext,
  ): Promise<ChatMessage> {
    const { name } = call.function;
    const tool = catalog.tools.get(name) ?? catalog.hidden.get(name);
    if (prepared.kind !== 'ready') return this.#finish(call, prepared, tool);
    const slot = { row, column, call: nextCall(), timeoutMs: this.#config.timeoutMs };
    return this.#finish(call, await executeCall(this.#gateway, prepared, slot), tool);
  }

  #finish(call: ToolCall, outcome: ToolOutcome, tool: OfferedTool | undefined): ChatMessage {
    const { message, failed } = finishCall(call, outcome, {
      maxChars: this.#config.maxResultChars ?? MAX_RESULT_CHARS,
    });
    const bytes = outcome.kind === 'answered' ? Buffer.byteLength(outcome.body) : 0;
    const timedOut = outcome.kind === 'failed' && outcome.timedOut === true;
    countCall(this.counts, tool ?? UNKNOWN, { failed, timedOut, bytes, elapsedMs: outcome.elapsedMs });
    return message;
  }

  /** Lists the tools once for all callers; a failed listing is tried again by the next one. */
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
