import { DataDesignerError } from '@data-designer/core';
import type { ToolProvider } from './provider.ts';
import { RpcSession } from './rpc-session.ts';
import type { SessionOptions, ToolSession } from './tool-session.ts';

/** Connects to a tool server and shakes hands; rejects with `tool/unavailable`. Loads the MCP SDK on first use. */
export async function openSession(provider: ToolProvider, options: SessionOptions = {}): Promise<ToolSession> {
  if (provider.providerType !== 'stdio' && !URL.canParse(provider.endpoint)) {
    const reason = 'its endpoint is not an address';
    throw new DataDesignerError('tool/unavailable', { provider: provider.name, reason });
  }
  const { sdkLink } = await import('./sdk-client.ts');
  const session = new RpcSession(provider, options, sdkLink);
  await session.open();
  return session;
}
