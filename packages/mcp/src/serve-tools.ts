import type { ToolDefinition } from './define-tool.ts';
import type { ServeOptions, ToolServer } from './serve-options.ts';
import { Toolset } from './serve-toolset.ts';

/**
 * Serves tools over MCP; resolves with the server once it is ready. Over stdio the server ends with stdin, and other output
 * of the process goes to stderr. Throws `tool/invalid` and `environment/cannot-listen`.
 */
export async function serveTools(tools: readonly ToolDefinition[], options: ServeOptions): Promise<ToolServer> {
  const toolset = new Toolset(tools);
  const { serveOverStdio, sseSessions, streamableSessions } = await import('./sdk-server.ts');
  if (options.transport === 'stdio') return serveOverStdio(toolset, options);
  const { serveHttp } = await import('./serve-http.ts');
  const sessions = options.transport === 'sse' ? sseSessions : streamableSessions;
  return serveHttp(sessions(toolset, options), options);
}
