export { defineTool, type ToolContext, type ToolDefinition } from './define-tool.ts';
export { MCPFacade } from './mcp-facade.ts';
export { MCPRegistry } from './mcp-registry.ts';
export { openSession } from './open-session.ts';
export type { RemoteToolProvider, StdioToolProvider, ToolProvider } from './provider.ts';
export { type ServeOptions, serveTools } from './serve-tools.ts';
export { readToolRequest, type ToolRequest } from './tool-request.ts';
export type { JsonObject, SessionOptions, ToolCallOptions, ToolCallResult, ToolSession } from './tool-session.ts';
export { ToolSessions } from './tool-sessions.ts';
