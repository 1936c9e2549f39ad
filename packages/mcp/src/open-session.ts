import type { ToolProvider } from './provider.ts';
import type { SessionOptions, ToolSession } from './tool-session.ts';

/** Connects to a tool server and shakes hands; rejects with `tool/unavailable`. Loads the MCP SDK on first use. */
export async function openSession(provider: ToolProvider, options: SessionOptions = {}): Promise<ToolSession> {
  const { openSdkSession } = await import('./sdk-client.ts');
  return openSdkSession(provider, options);
}
