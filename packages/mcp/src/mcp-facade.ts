import type { ChatMessage, Gateway, PlannedTools, ToolBox, ToolSchema, ToolTurnContext } from '@data-designer/core';
import type { OfferedTool, ToolCatalog, ToolChoice } from './tool-catalog.ts';
import type { ToolCounts } from './tool-counts.ts';
import { abortFailure, unlessAborted } from './tool-session.ts';

const REFUSAL =
  'This tool call was not run: the turns for tool calls are used up. Give your final answer now, without calling tools.';

/** A tool by name and description alone. */
export type ToolSummary = Pick<ToolSchema['function'], 'name' | 'description'>;

/** What facades of one alias share, and the choice of a question. */
interface FacadeParts {
  readonly counts?: Record<string, ToolCounts>;
  readonly choice?: ToolChoice | undefined;
  /** Lists the tools in place of the gateway. */
  readonly list?: () => Promise<ToolCatalog>;
}

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
  readonly #choice: ToolChoice | undefined;
  readonly #list: () => Promise<ToolCatalog>;
  #catalog: Promise<ToolCatalog> | undefined;

  constructor(config: PlannedTools, gateway: Gateway, { counts = {}, choice, list }: FacadeParts = {}) {
    this.toolAlias = config.alias;
    this.providers = config.providers;
    this.maxToolCallTurns = config.maxToolCallTurns;
    this.allowTools = config.allowTools;
    this.timeoutSec = config.timeoutMs / 1000;
    this.counts = counts;
    this.#config = config;
    this.#gateway = gateway;
    this.#choice = choice;
    this.#list = list ?? (() => this.#listAll());
  }

  /** The same alias with the tools of another gateway; calls are counted together. */
  with(gateway: Gateway): MCPFacade {
    return new MCPFacade(this.#config, gateway, { counts: this.counts, choice: this.#choice });
  }

  /** The same alias with those of its tools alone that a question allows; listing rejects with `tool/not-offered`. */
  only(choice: ToolChoice): MCPFacade {
    // A rehearsal leaves out the tools of an alias.
    if (this.providers.length === 0) return this;
    return new MCPFacade(this.#config, this.#gateway, { counts: this.counts, choice, list: () => this.#listed() });
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
    // Most plans have no tools, and every thread loads this file.
    const { answerCalls } = await import('./answer-calls.ts');
    const tools = { config: this.#config, gateway: this.#gateway, catalog, counts: this.counts };
    return [response, ...(await unlessAborted(answerCalls(response, tools, context), signal))];
  }

  refuseCompletionResponse(response: ChatMessage): readonly ChatMessage[] {
    const refusals = (response.tool_calls ?? []).map(({ id }): ChatMessage => ({
      role: 'tool',
      content: REFUSAL,
      tool_call_id: id,
    }));
    return [response, ...refusals];
  }

  /** Lists the tools once for all callers; after a failure the next caller lists them again. */
  #listed(): Promise<ToolCatalog> {
    this.#catalog ??= this.#chosen().catch((thrown: unknown) => {
      this.#catalog = undefined;
      throw thrown;
    });
    return this.#catalog;
  }

  async #chosen(): Promise<ToolCatalog> {
    const catalog = await this.#list();
    if (!this.#choice) return catalog;
    return (await import('./choose-tools.ts')).chooseTools(this.#choice, this.#config, catalog);
  }

  async #listAll(): Promise<ToolCatalog> {
    const providers = [...new Set(this.#config.providers)];
    const offers = providers.map(async (provider) => ({ provider, tools: await this.#gateway.listTools(provider) }));
    const { catalogOf } = await import('./tool-catalog.ts');
    return catalogOf(this.#config, await Promise.all(offers));
  }
}
