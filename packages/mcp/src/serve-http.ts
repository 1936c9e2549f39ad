import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from './listen.ts';
import { guard } from './serve-guard.ts';
import type { ServeOptions, ToolServer } from './serve-options.ts';

/** The sessions of one transport over HTTP. */
export interface HttpSessions {
  /** Its paths; the address for clients has the first. */
  readonly paths: readonly [string, ...string[]];
  /** Answers a request to one of them. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Ends all sessions. */
  readonly close: () => Promise<void>;
}

/** Listens for requests and passes the allowed ones to the sessions; throws `environment/cannot-listen`. */
export async function serveHttp(sessions: HttpSessions, options: ServeOptions): Promise<ToolServer> {
  const { host = '127.0.0.1', port = 0 } = options;
  const refusalOf = guard(options);
  // The keep-alive of a connection detects clients that vanished.
  const server = createServer({ keepAlive: true, keepAliveInitialDelay: 30_000 }, (request, response) => {
    const refusal = refusalOf(request);
    if (refusal) return refuse(response, refusal.status, refusal.reason);
    const [path = ''] = (request.url ?? '').split('?');
    if (!sessions.paths.includes(path)) return refuse(response, 404, `Tools are served at ${sessions.paths[0]}.`);
    sessions.handle(request, response).catch(() => refuse(response, 500, 'The request could not be answered.'));
  });
  const address = await listen(server, { host, port });
  const ended = Promise.withResolvers<void>();
  server.once('close', ended.resolve);
  return {
    address: `${address}${sessions.paths[0]}`,
    ended: ended.promise,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await sessions.close();
      server.closeAllConnections();
      await ended.promise;
    },
  };
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  if (response.headersSent) return void response.destroy();
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close', ...challenge }).end(`${reason}\n`);
}
