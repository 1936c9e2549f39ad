import type { CallSite, ChatMessage, Gateway, PlannedTools, ToolBox, ToolCall, ToolSchema } from '@data-designer/core';
import { executeCall } from './execute-call.ts';
import { finishCall } from './finish-call.ts';
import { prepareCall, type ToolOutcome } from './prepare-call.ts';
import { catalogOf, type ToolCatalog } from './tool-catalog.ts';
import { addToolCounts, type ToolCounts } from './tool-counts.ts';
import { abortFailure, unlessAborted } from './tool-session.ts';

const REFUSAL =
  'This tool call was not run: the turns for tool calls are used up. Give your final answer now, without calling tools.';

/** The tools of one tool alias, as the conversations of a worker use them; everything outside goes through the gateway. */
export class MCPFacade implements ToolBox {
  readonly toolAlias: string;
  readonly maxToolCallTurns: number;
  /** What became of the calls so far, by the tool's name as the model wrote it. */
  readonly counts: Record<string, ToolCounts> = {};
  readonly #config: PlannedTools;
  readonly #gateway: Gateway;
  #catalog: Promise<ToolCatalog> | undefined;

  constructor(config: PlannedTools, gateway: Gateway) {
    this.toolAlias = config.alias;
    this.maxToolCallTurns = config.maxToolCallTurns;
    this.#config = config;
    this.#gateway = gateway;
  }

  /** Rejects with `tool/unavailable`, `tool/duplicate` or `tool/unknown`: faults of the configuration. */
  async schemas(): Promise<readonly ToolSchema[]> {
    return (await this.#listed()).schemas;
  }

  async execute(calls: readonly ToolCall[], site: CallSite): Promise<readonly ChatMessage[]> {
    if (site.signal.aborted) throw abortFailure(site.signal);
    const catalog = await unlessAborted(this.#listed(), site.signal);
    const messages = calls.map((call) => this.#run(call, catalog, site));
    return unlessAborted(Promise.all(messages), site.signal);
  }

  refuse(calls: readonly ToolCall[]): readonly ChatMessage[] {
    return calls.map(({ id }) => ({ role: 'tool', content: REFUSAL, tool_call_id: id }));
  }

  /** Takes the call's number before anything is awaited, so that numbers follow the order the model wrote. */
  async #run(call: ToolCall, catalog: ToolCatalog, { row, column, nextCall }: CallSite): Promise<ChatMessage> {
    const prepared = prepareCall(call, catalog);
    if (prepared.kind !== 'ready') return this.#finish(call, prepared);
    const slot = { row, column, call: nextCall(), timeoutMs: this.#config.timeoutMs };
    return this.#finish(call, await executeCall(this.#gateway, prepared, slot));
  }

  #finish(call: ToolCall, outcome: ToolOutcome): ChatMessage {
    const { message, failed } = finishCall(call, outcome);
    const timedOut = outcome.kind === 'failed' && outcome.timedOut === true;
    const counted = { calls: 1, errors: failed ? 1 : 0, timeouts: timedOut ? 1 : 0 };
    addToolCounts(this.counts, { [call.function.name]: counted });
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
