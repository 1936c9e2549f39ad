import { type Gateway, type Plan, stringifyJson, type ToolSchema } from '@data-designer/core';
import { MCPRegistry } from '@data-designer/mcp';

/** What models are told of the tools, by provider: learned at the start, the same for the whole life of a dataset. */
export type FrozenTools = Readonly<Record<string, readonly ToolSchema[]>>;

/**
 * Lists every tool provider of a plan and checks every tool alias against them. Throws `tool/unavailable`,
 * `tool/duplicate` or `tool/unknown`: faults that are told before the first request.
 */
export async function listAllTools(plan: Plan, gateway: Pick<Gateway, 'listTools'>): Promise<FrozenTools> {
  const providers = plan.resources.filter(({ kind }) => kind === 'tools').map(({ provider }) => provider);
  const listed = await Promise.all(
    providers.map(async (provider) => [provider, await gateway.listTools(provider)] as const),
  );
  const tools = new Map(listed);
  const registry = new MCPRegistry(plan.tools, { listTools: async (name) => tools.get(name) ?? [] } as Gateway);
  await Promise.all(Object.keys(plan.tools).map((alias) => registry.get(alias).schemas()));
  return Object.fromEntries(listed);
}

/** The providers whose tools are no longer what they were. */
export function changedTools(frozen: FrozenTools, now: FrozenTools): string[] {
  return Object.keys(now).filter((provider) => stringifyJson(frozen[provider] ?? []) !== stringifyJson(now[provider]));
}
