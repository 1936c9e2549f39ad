import { randomUUID } from 'node:crypto';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { sdkServer } from './sdk-server.ts';
import type { HttpSessions } from './serve-http.ts';
import { idleSessions } from './serve-idle.ts';
import type { ServeOptions } from './serve-options.ts';
import type { Toolset } from './serve-toolset.ts';

const IDLE_MS = 30 * 60_000;
/** The most sessions at a time. */
const MOST_SESSIONS = 1_000;

/** Sessions over streamable HTTP: each ends when its client ends it or when it is idle for too long. */
export function streamableSessions(toolset: Toolset, options: ServeOptions): HttpSessions {
  const sessions = idleSessions<StreamableHTTPServerTransport>(options.idleMs ?? IDLE_MS);
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
        if (sessions.count() >= MOST_SESSIONS)
          return void response.writeHead(503).end('There are too many sessions.\n');
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
