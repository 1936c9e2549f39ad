import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { ToolContext, ToolDefinition } from './define-tool.ts';
import type { ServeOptions } from './serve-options.ts';
import type { JsonObject } from './tool-session.ts';

/** Serves tools on stdin and stdout with the official SDK; see `serveTools`. */
export async function serveOverStdio(tools: readonly ToolDefinition[], options: ServeOptions): Promise<void> {
  const server = serverOf(tools, options);
  const closed = new Promise<void>((resolve) => {
    Object.assign(server, { onclose: resolve });
  });
  // The SDK's transport does not notice that its client has gone.
  const close = (): void => void server.close();
  process.stdin.once('end', close).once('close', close);
  process.stdout.on('error', close);
  await server.connect(new StdioServerTransport());
  await closed;
}

/** The low-level server of the SDK, which passes plain JSON Schemas on as they are. */
function serverOf(tools: readonly ToolDefinition[], { name, version }: ServeOptions): Server {
  const server = new Server({ name, version }, { capabilities: { tools: {} } });
  const checks = new AjvJsonSchemaValidator();
  const served = new Map(tools.map((tool) => [tool.name, { tool, check: checkOf(checks, tool) }]));
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(describe) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
    const known = served.get(params.name);
    if (known === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    return answer(known, params.arguments ?? {}, { signal });
  });
  return server;
}

function describe({ name, description, parameters }: ToolDefinition) {
  return { name, description, inputSchema: { ...parameters, type: 'object' as const } };
}

/** What is wrong with arguments; undefined when nothing is. */
type Check = (args: JsonObject) => string | undefined;

/** A schema that does not compile checks nothing. */
function checkOf(checks: AjvJsonSchemaValidator, { parameters }: ToolDefinition): Check {
  try {
    const validate = checks.getValidator(parameters);
    return (args) => validate(args).errorMessage;
  } catch {
    return () => undefined;
  }
}

interface ServedTool {
  readonly tool: ToolDefinition;
  readonly check: Check;
}

async function answer({ tool, check }: ServedTool, args: JsonObject, context: ToolContext): Promise<CallToolResult> {
  const wrong = check(args);
  if (wrong !== undefined) return errorResult(`the arguments do not fit: ${wrong}`);
  try {
    return resultOf(await tool.execute(args, context));
  } catch (thrown) {
    return errorResult(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function resultOf(value: unknown): CallToolResult {
  if (isObject(value) && Array.isArray(value.content)) return value as CallToolResult;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const content: CallToolResult['content'] = [{ type: 'text', text }];
  return isObject(value) ? { content, structuredContent: { ...value } } : { content };
}

function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
