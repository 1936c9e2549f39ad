import type { ToolDefinition } from './define-tool.ts';

/** How tools are served and under which name. */
export interface ServeOptions {
  readonly name: string;
  readonly version: string;
  readonly transport: 'stdio';
}

/** Serves tools over MCP; resolves when the client has gone. Nothing else may write to stdout meanwhile. */
export async function serveTools(tools: readonly ToolDefinition[], options: ServeOptions): Promise<void> {
  const { serveOverStdio } = await import('./sdk-server.ts');
  return serveOverStdio(tools, options);
}
