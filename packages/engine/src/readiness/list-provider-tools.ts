import {
  DataDesignerError,
  isFailure,
  refuseStopped,
  type Resource,
  type StopSignals,
  TOOL_DEFAULTS,
  toolsOf,
  type ToolSchema,
  untilStopped,
} from '@data-designer/core';
import type { MCPProvider } from '@data-designer/config';
import { GatewayHost, GatewayThread } from '@data-designer/gateway';
import { namesRowFolder } from '@data-designer/mcp';

/** The tools of an MCP provider, or why they cannot be listed. */
export type ProviderListing =
  | { readonly provider: string; readonly tools: readonly ToolSchema[] }
  | { readonly provider: string; readonly failure: DataDesignerError };

/** How the provider of a listing is reached: by a gateway of its own, so that a missing key fails its listing alone. */
interface Listed {
  readonly thread: GatewayThread;
  readonly resource: Resource;
  readonly signals: StopSignals;
}

/**
 * Lists the tools of MCP providers, in their order, whatever their `tools_file` says. Each server is started once and ends
 * when it is listed; `TOOL_DEFAULTS.servers` run at a time. Throws `run/aborted` only.
 */
export async function listProviderTools(
  providers: readonly MCPProvider[],
  signals: StopSignals,
): Promise<readonly ProviderListing[]> {
  refuseStopped(signals);
  const resources = providers.map(resourceOf);
  await using thread = GatewayThread.shared(resources);
  const listed: ProviderListing[] = [];
  const left = [...providers.entries()].values();
  const listRest = async (): Promise<void> => {
    // All of them take from one list.
    for (const [index, provider] of left) {
      listed[index] = await listOne(provider, { thread, resource: resourceOf(provider), signals });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: TOOL_DEFAULTS.servers }, listRest));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  return listed;
}

async function listOne(provider: MCPProvider, { thread, resource, signals }: Listed): Promise<ProviderListing> {
  const { name } = provider;
  try {
    const given = { resources: [resource], providers: { models: [], tools: [provider] }, frozen: {} };
    await using host = await GatewayHost.open(given, { shared: { thread, account: name } });
    const listing = Promise.race([host.listTools(name), host.lost]);
    return { provider: name, tools: await untilStopped(listing, signals, () => Promise.resolve()) };
  } catch (thrown) {
    if (isFailure(thrown, 'run/aborted')) throw thrown;
    return { provider: name, failure: DataDesignerError.fromUnknown(thrown) };
  }
}

/** The resource of a provider; a server that works in the folder of a row is listed in an empty one. */
function resourceOf(provider: MCPProvider): Resource {
  const { name } = provider;
  const id = toolsOf(name);
  const texts = provider.providerType === 'stdio' ? [...provider.args, ...Object.values(provider.env)] : [];
  const rowServer = texts.some(namesRowFolder) ? { rowServer: name } : {};
  return { id, kind: 'tools', provider: name, limit: 1, pool: id, ...rowServer };
}
