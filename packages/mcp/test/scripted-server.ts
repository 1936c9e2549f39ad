import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request to the scripted server. */
export interface Asked {
  readonly path: string;
  readonly method: string;
  readonly tool: string;
  readonly session: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly message: {
    readonly id?: number;
    readonly params?: Readonly<Record<string, unknown>> & { readonly name?: string; readonly _meta?: object };
  };
  readonly response: ServerResponse;
}

/** Answers a request and returns true, or leaves it to the server. */
export type Script = (asked: Asked) => boolean | Promise<boolean>;

/** A streamable HTTP server of the tools `read` (may run twice) and `write` that does what a script says. */
export interface ScriptedServer extends AsyncDisposable {
  readonly endpoint: string;
  /** The requests, as `<method> <tool>`. */
  readonly log: string[];
  /** The sessions that it knows. */
  readonly sessions: Set<string>;
  script: Script;
}

const TOOLS = [
  { name: 'read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'write', inputSchema: { type: 'object' } },
];

/** Starts a scripted server. */
export async function startScripted(script: Script = () => false): Promise<ScriptedServer> {
  const log: string[] = [];
  const sessions = new Set<string>();
  const server = createServer((request, response) => void serve(request, response));
  let next = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const message = (body === '' ? {} : JSON.parse(body)) as Asked['message'] & { readonly method?: string };
    const method = message.method ?? request.method ?? '';
    const { 'mcp-session-id': session } = request.headers;
    const asked = {
      path: request.url ?? '',
      method,
      tool: message.params?.name ?? '',
      session: session?.toString(),
      message,
      response,
    };
    log.push(`${method} ${asked.tool}`.trim());
    if (await scripted.script({ ...asked, headers: request.headers })) return;
    if (method === 'DELETE') sessions.delete(String(session));
    if (method === 'GET') return void response.writeHead(405).end();
    if (message.id === undefined) return void response.writeHead(202).end();
    if (method === 'initialize') {
      sessions.add(`session-${++next}`);
      response.setHeader('mcp-session-id', `session-${next}`);
    }
    answer(response, message.id, resultOf(method));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const scripted: ScriptedServer = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    log,
    sessions,
    script,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return scripted;
}

function resultOf(method: string): object {
  const serverInfo = { name: 'scripted', version: '1' };
  if (method === 'initialize') return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
  return method === 'tools/list' ? { tools: TOOLS } : { content: [{ type: 'text', text: 'done' }] };
}

/** Answers with a result. */
export function answer(response: ServerResponse, id: number | undefined, result: object): true {
  return answerWith(response, { id, result });
}

/** Answers with the rest of a JSON-RPC message. */
export function answerWith(response: ServerResponse, rest: object): true {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', ...rest }));
  return true;
}

/** Refuses with a status and a page, or a page and headers. */
export function refuse(response: ServerResponse, status: number, said: string | Refusal = ''): true {
  const { page = '', headers = {} } = typeof said === 'string' ? { page: said } : said;
  response.writeHead(status, headers).end(page);
  return true;
}

interface Refusal {
  readonly page?: string;
  readonly headers: Readonly<Record<string, string>>;
}
