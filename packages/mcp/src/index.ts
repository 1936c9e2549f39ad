export type { ArgumentsOf, ToolParameters } from '@data-designer/json-schema';
export { defineTool, type ToolContext, type ToolDefinition, type ToolHints } from './define-tool.ts';
export { LocalCalls } from './local-calls.ts';
export { LocalHost } from './local-host.ts';
export type { LocalAsk, ToolEnded, ToolNote } from './local-messages.ts';
export type { FunctionToolProvider, LocalToolProvider, LocalToolSource, ModuleToolProvider } from './local-provider.ts';
export { LocalProviders, noProvider } from './local-providers.ts';
export { image, type ImageResult } from './local-result.ts';
export { MCPFacade, type ToolSummary } from './mcp-facade.ts';
export { MCPRegistry } from './mcp-registry.ts';
export type { GroupServers, RowServers } from './row-servers.ts';
export { namesRowFolder } from './in-row-folder.ts';
export { openSession } from './session-slot.ts';
export { type RemoteToolProvider, secretsOf, type StdioToolProvider, type ToolProvider } from './provider.ts';
export type { ServeOptions, ToolServer } from './serve-options.ts';
export { toolSchema } from './tool-listing.ts';
export { serveTools } from './serve-tools.ts';
export type { FailedCalls } from './tool-failure-reason.ts';
export { addToolCounts, type ToolCounts, type ToolStatistics, toolStatistics } from './tool-counts.ts';
export { failureKindOf, keptOutcome } from './tool-outcome.ts';
export { readFunctionRequest, readToolRequest, type ToolRequest, writeToolRequest } from './tool-request.ts';
export type {
  JsonObject,
  SessionEvent,
  SessionOptions,
  ToolCallOptions,
  ToolCallResult,
  ToolsFileOrigin,
  ToolSession,
} from './tool-session.ts';
export { toolsIn } from './tools-in.ts';
export { ToolSessions, type ToolSessionsOptions } from './tool-sessions.ts';
