import { type Gateway, type Plan, stringifyJson, type ToolSchema } from '@data-designer/core';
import { MCPRegistry } from '@data-designer/mcp';
import type { FrozenTools } from '@data-designer/dataset';
import type { RunEvent } from '../run-event.ts';

/**
 * Lists the tools of every provider of a plan and checks every tool alias against them, before the first request. Throws
 * `tool/unavailable`, `tool/duplicate` or `tool/unknown`; reports schemas that do not compile and tools that are not offered.
 */
export async function listAllTools(
  plan: Plan,
  gateway: Pick<Gateway, 'listTools'>,
  { onEvent = () => {} }: { readonly onEvent?: ((event: RunEvent) => void) | undefined } = {},
): Promise<FrozenTools> {
  const providers = plan.resources.filter(({ kind }) => kind === 'tools').map(({ provider }) => provider);
  const listed = await Promise.all(
    providers.map(async (provider) => [provider, await gateway.listTools(provider)] as const),
  );
  const tools = new Map(listed);
  const registry = new MCPRegistry(plan.tools, { listTools: async (name) => tools.get(name) ?? [] } as Gateway);
  const facades = Object.keys(plan.tools).map((alias) => registry.get(alias));
  const unchecked = await Promise.all(facades.map((facade) => facade.getUncheckedTools()));
  const told = new Map(unchecked.flat().map(({ provider, name }) => [`${provider}/${name}`, { provider, tool: name }]));
  for (const tool of told.values()) onEvent({ type: 'tool-schema-fail', ...tool });
  const dropped = await Promise.all(facades.map((facade) => facade.getDroppedTools()));
  const reasons = new Map(dropped.flat().map((tool) => [`${tool.provider}/${tool.name}`, tool]));
  for (const { provider, name, dropped: reason = '' } of reasons.values()) {
    onEvent({ type: 'tool-drop', provider, tool: name, reason });
  }
  return Object.fromEntries(listed);
}

/** The providers whose tools have changed. */
export function changedTools(frozen: FrozenTools, now: FrozenTools): string[] {
  return Object.keys(now).filter((provider) => offered(frozen[provider]) !== offered(now[provider]));
}

/** A provider's tools as it describes them, without what is derived from them. */
function offered(tools: readonly ToolSchema[] = []): string {
  return stringifyJson(tools.map(({ type, function: tool }) => ({ type, function: tool })));
}
