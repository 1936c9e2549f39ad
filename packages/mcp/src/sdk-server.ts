import { randomUUID } from 'node:crypto';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type CallToolRequest,
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  type ListToolsResult,
  McpError,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { ToolContext } from './define-tool.ts';
import type { HttpSessions } from './serve-http.ts';
import { IdleSessions } from './serve-idle.ts';
import type { ServeOptions, ToolServer } from './serve-options.ts';
import { claimStdout } from './serve-stdout.ts';
import type { Toolset } from './serve-toolset.ts';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Levels of the protocol below which notes of tools, which are of the level `info`, are not wanted. */
const QUIETER_THAN_INFO = ['notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

const IDLE_MS = 30 * 60_000;
/** Sessions at a time: more of them than any use has are somebody's mistake. */
const MOST_SESSIONS = 1_000;

/** The low-level server of the SDK, which passes plain JSON Schemas on as they are; each session has its own. */
function sdkServer(toolset: Toolset, { name, version, instructions, readResource }: ServeOptions): Server {
  const given = instructions === undefined ? {} : { instructions };
  const server = new Server({ name, version }, { capabilities: { tools: {}, logging: {} }, ...given });
  let isQuiet = false;
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    isQuiet = QUIETER_THAN_INFO.includes(params.level);
    return {};
  });
  const tools: ListToolsResult['tools'] = [...toolset.listings];
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    const context = contextOf(params, extra, { isQuiet: () => isQuiet, readResource });
    const result = toolset.call(params.name, params.arguments ?? {}, context);
    if (!result) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    return result;
  });
  return server;
}

/** What a tool may use while it answers one call: its notes go to the client that made it. */
function contextOf(
  { name, _meta }: CallToolRequest['params'],
  { signal, sendNotification }: Extra,
  { isQuiet, readResource }: { readonly isQuiet: () => boolean } & Pick<ServeOptions, 'readResource'>,
): ToolContext {
  const progressToken = _meta?.progressToken;
  const tell = (notification: ServerNotification): void => {
    // A client that has gone is told nothing more, and the call goes on.
    if (!signal.aborted) sendNotification(notification).catch(() => undefined);
  };
  return {
    signal,
    log: (message) => {
      if (isQuiet()) return;
      tell({ method: 'notifications/message', params: { level: 'info', logger: name, data: message } });
    },
    progress: (done, total = null) => {
      if (progressToken === undefined) return;
      const params = { progressToken, progress: done, ...(total === null ? {} : { total }) };
      tell({ method: 'notifications/progress', params });
    },
    readResource: async (uri) => {
      if (readResource === undefined) throw new Error('this server offers no resources');
      return readResource(uri);
    },
  };
}

/** Serves tools on stdin and stdout; ends with stdin. */
export async function serveOverStdio(toolset: Toolset, options: ServeOptions): Promise<ToolServer> {
  const server = sdkServer(toolset, options);
  const ended = Promise.withResolvers<void>();
  const { stdout, giveBack } = claimStdout();
  const close = (): void => void server.close();
  // The SDK's transport does not notice that its client has gone.
  process.stdin.once('end', close).once('close', close);
  process.stdout.on('error', close);
  Object.assign(server, {
    onclose: () => {
      process.stdin.off('end', close).off('close', close);
      giveBack();
      ended.resolve();
    },
  });
  await server.connect(new StdioServerTransport(process.stdin, stdout));
  return { address: undefined, ended: ended.promise, [Symbol.asyncDispose]: () => server.close() };
}

/** Sessions over streamable HTTP: each ends when its client says so, or when nobody has used it for long. */
export function streamableSessions(toolset: Toolset, options: ServeOptions): HttpSessions {
  const sessions = new IdleSessions<StreamableHTTPServerTransport>(options.idleMs ?? IDLE_MS);
  const begin = async (): Promise<StreamableHTTPServerTransport> => {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => sessions.add(id, transport),
      onsessionclosed: (id) => sessions.delete(id),
    });
    await sdkServer(toolset, options).connect(transport);
    return transport;
  };
  return {
    paths: ['/mcp'],
    handle: async (request, response) => {
      const { 'mcp-session-id': id } = request.headers;
      if (id === undefined) {
        if (sessions.size >= MOST_SESSIONS) return void response.writeHead(503).end('There are too many sessions.\n');
        return (await begin()).handleRequest(request, response);
      }
      const known = sessions.use(String(id), response);
      if (known === undefined) return void response.writeHead(404).end('There is no such session.\n');
      return known.handleRequest(request, response);
    },
    close: () => sessions.closeAll(),
  };
}

/** Sessions over server-sent events: each lasts as long as its stream. */
export function sseSessions(toolset: Toolset, options: ServeOptions): HttpSessions {
  const sessions = new Map<string, SSEServerTransport>();
  return {
    paths: ['/sse', '/messages'],
    handle: async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://here');
      if (pathname === '/sse') {
        if (request.method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end();
        if (sessions.size >= MOST_SESSIONS) return void response.writeHead(503).end('There are too many sessions.\n');
        const transport = new SSEServerTransport('/messages', response);
        sessions.set(transport.sessionId, transport);
        response.once('close', () => sessions.delete(transport.sessionId));
        return sdkServer(toolset, options).connect(transport);
      }
      const known = request.method === 'POST' ? sessions.get(searchParams.get('sessionId') ?? '') : undefined;
      if (known === undefined) return void response.writeHead(404).end('There is no such session.\n');
      return known.handlePostMessage(request, response);
    },
    close: async () => {
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
    },
  };
}
