import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { type EventStore, StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

/** A real MCP server over HTTP, with handles on what can go wrong. */
export interface RemoteServer extends AsyncDisposable {
  readonly endpoint: string;
  readonly port: number;
  /** What the tools and requests of the server left behind. */
  readonly events: string[];
  /** Forgets every session, as a restarted server does; many say 400 then, with words of their own. */
  forget(answer?: { readonly status: number; readonly page: string }): void;
  /** Cuts every connection. */
  cut(): void;
}

type Serve = (request: IncomingMessage, response: ServerResponse, events: string[]) => Promise<void>;

/** Starts a server for the streamable HTTP transport; with an event store its answers survive a cut connection. */
export function startStreamable(port = 0, store?: EventStore): Promise<RemoteServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  let forgotten = { status: 404, page: 'Session not found' };
  const serve: Serve = async (request, response, events) => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known !== undefined) return known.handleRequest(request, response);
    if (id !== undefined) return void response.writeHead(forgotten.status).end(forgotten.page);
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      ...(store && { eventStore: store }),
      onsessioninitialized: (created) => void sessions.set(created, transport),
      onsessionclosed: () => void events.push('left'),
    });
    await mcpServer(events).connect(transport);
    await transport.handleRequest(request, response);
  };
  const forget: RemoteServer['forget'] = (answer = forgotten) => {
    forgotten = answer;
    sessions.clear();
  };
  return start({ serve, forget, path: '/mcp', port });
}

/** Starts a server for the older transport over server-sent events. */
export function startSse(port = 0): Promise<RemoteServer> {
  const sessions = new Map<string, SSEServerTransport>();
  const serve: Serve = async (request, response, events) => {
    if (request.method === 'GET') {
      const transport = new SSEServerTransport('/messages', response);
      sessions.set(transport.sessionId, transport);
      return mcpServer(events).connect(transport);
    }
    const id = new URL(request.url ?? '', 'http://here').searchParams.get('sessionId') ?? '';
    const known = sessions.get(id);
    if (known === undefined) return void response.writeHead(404).end('Session not found');
    return known.handlePostMessage(request, response);
  };
  return start({ serve, forget: () => sessions.clear(), path: '/sse', port });
}

interface Setup {
  readonly serve: Serve;
  readonly forget: RemoteServer['forget'];
  readonly path: string;
  readonly port: number;
}

async function start({ serve, forget, path, port }: Setup): Promise<RemoteServer> {
  const events: string[] = [];
  const http: HttpServer = createServer((request, response) => {
    if (request.headers.authorization === 'Bearer wrong-key') {
      response.writeHead(401).end(`Not welcome with ${request.headers.authorization}`);
      return;
    }
    if (request.headers.authorization) events.push(`authorized ${request.headers.authorization}`);
    if (request.headers['x-tenant']) events.push(`tenant ${String(request.headers['x-tenant'])}`);
    if (request.method === 'POST') noteFirstWrite(response, events);
    void serve(request, response, events);
  });
  await new Promise<void>((resolve) => {
    http.listen(port, '127.0.0.1', resolve);
  });
  const bound = (http.address() as AddressInfo).port;
  return {
    endpoint: `http://127.0.0.1:${bound}${path}`,
    port: bound,
    events,
    forget,
    cut: () => http.closeAllConnections(),
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => {
        http.close(resolve);
      });
    },
  };
}

/** Adds `streaming` to the events once the first piece of an answer is on its way: it arrives before any cut. */
function noteFirstWrite(response: ServerResponse, events: string[]): void {
  const write = response.write.bind(response) as (...args: unknown[]) => boolean;
  response.write = ((...args: unknown[]) => {
    events.push('streaming');
    response.write = write as ServerResponse['write'];
    return write(...args);
  }) as ServerResponse['write'];
}

/** Keeps the messages of all streams, so that a client can take up a broken one. */
export function eventStore(): EventStore {
  const stored: { readonly stream: string; readonly message: Parameters<EventStore['storeEvent']>[1] }[] = [];
  return {
    storeEvent: async (stream, message) => String(stored.push({ stream, message }) - 1),
    replayEventsAfter: async (last, { send }) => {
      const stream = stored[Number(last)]?.stream ?? '';
      for (const [index, event] of stored.entries()) {
        if (index > Number(last) && event.stream === stream) await send(String(index), event.message);
      }
      return stream;
    },
  };
}

const inputSchema = { type: 'object' as const };

function mcpServer(events: string[]): Server {
  const server = new Server({ name: 'remote', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: ['echo', 'wait', 'reveal'].map((name) => ({
      name,
      inputSchema,
      annotations: { readOnlyHint: name === 'echo' },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, requestInfo }) => {
    events.push(params.name);
    const { text, ms } = params.arguments ?? {};
    if (params.name === 'wait') {
      await sleep(Number(ms), undefined, { signal }).catch(() => events.push('cancelled'));
    }
    const revealed = params.name === 'reveal' ? String(requestInfo?.headers.authorization) : undefined;
    return { content: [{ type: 'text', text: revealed ?? String(text) }], isError: revealed !== undefined };
  });
  return server;
}
