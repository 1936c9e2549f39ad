import type { ToolDefinition } from './define-tool.ts';
import type { ServeOptions } from './serve-options.ts';

/** Serves tools over MCP; resolves when the client has gone. Nothing else may write to stdout meanwhile. */
export async function serveTools(tools: readonly ToolDefinition[], options: ServeOptions): Promise<void> {
  const { serveOverStdio } = await import('./sdk-server.ts');
  return serveOverStdio(tools, options);
}
