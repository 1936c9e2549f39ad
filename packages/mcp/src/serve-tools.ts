import type { ToolDefinition } from './define-tool.ts';
import type { ServeOptions, ToolServer } from './serve-options.ts';
import { Toolset } from './serve-toolset.ts';

/**
 * Serves tools over MCP; resolves with the server once it is ready. Over stdio the server ends with stdin, and other output
 * of the process goes to stderr. Throws `tool/invalid` and `environment/cannot-listen`.
 */
export async function serveTools(tools: readonly ToolDefinition[], options: ServeOptions): Promise<ToolServer> {
  const toolset = new Toolset(tools);
  if (options.transport === 'stdio') {
    const { serveOverStdio } = await import('./sdk-server.ts');
    return serveOverStdio(toolset, options);
  }
  // Loaded for HTTP alone: it loads Node's HTTP/2, which takes a quarter of the start of a server over stdio.
  const { sseSessions, streamableSessions } = await import('./sdk-http-sessions.ts');
  const { serveHttp } = await import('./serve-http.ts');
  const sessions = options.transport === 'sse' ? sseSessions : streamableSessions;
  return serveHttp(sessions(toolset, options), options);
}
