import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Settings } from '../settings.ts';
import { ChatEndpoint } from './chat-endpoint.ts';
import { refusalBody, type Refusal } from '../refusal.ts';
import type { Books } from './visit.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Long enough that the server never closes a connection a client is about to use. */
const KEEP_ALIVE_MS = 600_000;

/** Some names that behave normally and some that do not; any other name is welcome too. */
const MODELS = ['sim-small', 'sim-large', 'sim-500', 'sim-429', 'sim-hang', 'sim-wrong-schema', 'sim-endless-tools'];

/** A server that answers chat requests as the settings say; it does not listen yet. */
export function openSimulator(settings: Settings, books: Books): Server {
  const routes = routesOf(settings, books);
  const authorization = settings.apiKey === undefined ? undefined : `Bearer ${settings.apiKey}`;
  const server = createServer((request, response) => {
    const path = pathOf(request.url ?? '');
    const methods = routes.get(path);
    if (methods === undefined) return refuse(request, response, { status: 404, message: `Unknown path: ${path}.` });
    if (authorization !== undefined && path.startsWith('/v1/') && request.headers.authorization !== authorization) {
      return refuse(request, response, { status: 401, message: 'Incorrect or missing API key.' });
    }
    const handler = methods.get(request.method ?? '');
    if (handler !== undefined) return handler(request, response);
    return refuse(request, response, { status: 405, message: `${path} does not take ${request.method}.` });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.requestTimeout = 0;
  return server;
}

function routesOf(settings: Settings, { ledger, log }: Books): ReadonlyMap<string, ReadonlyMap<string, Handler>> {
  const chat = new ChatEndpoint(settings, { ledger, log });
  const stats: Handler = ({ url = '' }, response) => send(response, ledger.summary(url.includes('brief')));
  const reset: Handler = (_request, response) => {
    ledger.reset();
    send(response, { reset: true });
  };
  const models = MODELS.map((id) => ({ id, object: 'model', created: 0, owned_by: 'simulator' }));
  return new Map([
    ['/v1/chat/completions', new Map<string, Handler>([['POST', (...exchange) => chat.serve(...exchange)]])],
    [
      '/v1/models',
      new Map<string, Handler>([['GET', (_, response) => send(response, { object: 'list', data: models })]]),
    ],
    ['/stats', new Map([['GET', stats]])],
    ['/stats/reset', new Map([['POST', reset]])],
  ]);
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  request.resume();
  response.writeHead(refusal.status, { 'Content-Type': 'application/json' }).end(refusalBody(refusal));
}

function send(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}
