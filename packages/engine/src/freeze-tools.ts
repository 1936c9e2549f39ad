import type { Gateway, Plan, ToolSchema } from '@data-designer/core';
import { MCPRegistry } from '@data-designer/mcp';

/** What the models are told of the tools in use, by alias, learned once at the start; throws `tool/*` failures. */
export async function freezeTools(
  plan: Plan,
  gateway: Pick<Gateway, 'listTools'>,
): Promise<Readonly<Record<string, readonly ToolSchema[]>>> {
  const registry = new MCPRegistry(plan.tools, gateway as Gateway);
  const aliases = Object.keys(plan.tools);
  const listed = await Promise.all(aliases.map((alias) => registry.get(alias).schemas()));
  return Object.fromEntries(aliases.map((alias, index) => [alias, listed[index] ?? []]));
}
