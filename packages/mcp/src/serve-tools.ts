import type { ToolDefinition } from './define-tool.ts';
import type { ServeOptions, ToolServer } from './serve-options.ts';
import { Toolset } from './serve-toolset.ts';

/**
 * Serves tools over MCP, and gives the server once it is ready. Over stdio the process lives as long as its client keeps
 * stdin open, and what else it writes to stdout goes to stderr. Throws `tool/invalid` and `environment/cannot-listen`.
 */
export async function serveTools(tools: readonly ToolDefinition[], options: ServeOptions): Promise<ToolServer> {
  const toolset = new Toolset(tools);
  const { serveOverStdio, sseSessions, streamableSessions } = await import('./sdk-server.ts');
  if (options.transport === 'stdio') return serveOverStdio(toolset, options);
  const { serveHttp } = await import('./serve-http.ts');
  const sessions = options.transport === 'sse' ? sseSessions : streamableSessions;
  return serveHttp(sessions(toolset, options), options);
}
