import type { MCPProvider, ToolConfig } from '@data-designer/config';
import { DataDesignerError, knownNames, TOOL_DEFAULTS, type ToolSchema, toolsOf } from '@data-designer/core';
import type { GatewayHost } from '@data-designer/gateway';

/** Connects to providers and returns the tool names of each; throws `tool/unavailable`. */
export async function offeredTools(providers: readonly MCPProvider[]): Promise<ReadonlyMap<string, readonly string[]>> {
  await using gateway = await open(providers);
  const offered = providers.map(async ({ name }) => [name, namesOf(await gateway.listTools(name))] as const);
  return new Map(await Promise.all(offered));
}

/** The tools that a tool config allows; throws `tool/unavailable`, `tool/unknown` and `tool/duplicate`. */
export async function allowedTools(config: ToolConfig): Promise<readonly string[]> {
  const { PortGateway } = await import('@data-designer/gateway/worker');
  const { MCPRegistry } = await import('@data-designer/mcp');
  const { toolAlias: alias, providers, allowTools, maxToolCallTurns, timeoutSec } = config;
  await using host = await open(await providersNamed(providers));
  using gateway = new PortGateway(host.openGroup(0, null));
  const planned = {
    alias,
    providers,
    allowTools,
    maxToolCallTurns,
    timeoutMs: (timeoutSec ?? TOOL_DEFAULTS.timeoutSec) * 1000,
  };
  return namesOf(await new MCPRegistry({ [alias]: planned }, gateway).get(alias).getToolSchemas());
}

/** Finds providers of the home folder and built-in ones by name; throws `tool/unavailable`. */
export async function providersNamed(names: readonly string[]): Promise<readonly MCPProvider[]> {
  return findProviders(names, await knownProviders());
}

/** Finds providers by name among those that are known; throws `tool/unavailable`. */
export function findProviders(names: readonly string[], known: readonly MCPProvider[]): readonly MCPProvider[] {
  return names.map((name) => {
    const provider = known.find((one) => one.name === name);
    if (provider) return provider;
    const others = known.map((one) => one.name);
    const reason = `it is not configured. ${knownNames(name, others)}`;
    throw new DataDesignerError('tool/unavailable', { provider: name, reason });
  });
}

/** The MCP providers of the home folder, then the built-in ones. */
export async function knownProviders(): Promise<readonly MCPProvider[]> {
  const { joinProviders, readHome } = await import('@data-designer/config');
  const { builtInProviders } = await import('@data-designer/declaration/built-in-providers');
  return joinProviders(readHome().providers, builtInProviders).tools.toReversed();
}

async function open(providers: readonly MCPProvider[]): Promise<GatewayHost> {
  const { joinProviders } = await import('@data-designer/config');
  const { GatewayHost: Host } = await import('@data-designer/gateway');
  const resources = providers.map(({ name }) => {
    return { id: toolsOf(name), kind: 'tools', provider: name, limit: 1, pool: toolsOf(name) } as const;
  });
  return Host.open({ resources, providers: joinProviders({ models: [], tools: providers }), frozen: {} });
}

function namesOf(schemas: readonly ToolSchema[]): readonly string[] {
  return schemas.map((schema) => schema.function.name);
}
