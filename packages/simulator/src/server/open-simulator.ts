import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Settings } from '../settings.ts';
import { type Refusal, refusalBody } from '../refusal.ts';
import { chatProtocol } from '../openai/chat-protocol.ts';
import { embeddingsProtocol } from '../openai/embeddings-protocol.ts';
import { Endpoint } from './endpoint.ts';
import { imagesProtocol } from '../openai/images-protocol.ts';
import { messagesProtocol } from '../anthropic/messages-protocol.ts';
import type { Protocol } from '../protocol.ts';
import { responsesProtocol } from '../openai-responses/responses-protocol.ts';
import { Draws } from '../draws.ts';
import { drawPicture } from '../pictures/draw-picture.ts';
import type { Books } from './visit.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Long enough that the server never closes a connection a client is about to use. */
const KEEP_ALIVE_MS = 600_000;

/** Some names that behave normally and some that do not; any other name is welcome too. */
const MODELS = ['sim-small', 'sim-large', 'sim-500', 'sim-429', 'sim-hang', 'sim-wrong-schema', 'sim-endless-tools'];

/** The protocols by which models are asked, by path. */
const PROTOCOLS = {
  '/v1/chat/completions': chatProtocol,
  '/v1/messages': messagesProtocol,
  '/v1/responses': responsesProtocol,
  '/v1/embeddings': embeddingsProtocol,
  '/v1/images/generations': imagesProtocol,
} as const;

/** A server that answers requests to models as the settings say; it does not listen yet. */
export function openSimulator(settings: Settings, books: Books): Server {
  const routes = routesOf(settings, books);
  const server = createServer((request, response) => {
    const path = pathOf(request.url ?? '');
    const methods = routes.get(path);
    if (methods === undefined && servePicture(path, response, settings.seed)) return;
    if (methods === undefined) return refuse(request, response, { status: 404, message: `Unknown path: ${path}.` });
    if (path.startsWith('/v1/') && !isAuthorized(request, settings)) {
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

function routesOf(settings: Settings, books: Books): ReadonlyMap<string, ReadonlyMap<string, Handler>> {
  const { ledger, gate } = books;
  const stats: Handler = ({ url = '' }, response) => send(response, ledger.summary(url.includes('brief')));
  const reset: Handler = (_request, response) => {
    ledger.reset();
    send(response, { reset: true });
  };
  const hold: Handler = ({ url = '' }, response) => {
    gate.holdAfter(answersIn(url, 'after') ?? 0);
    send(response, { held: true });
  };
  const release: Handler = ({ url = '' }, response) => {
    const held = answersIn(url, 'held');
    if (held === undefined) gate.release(answersIn(url, 'after'));
    else gate.releaseHeld(held);
    send(response, { held: held !== undefined });
  };
  const models = MODELS.map((id) => ({ id, object: 'model', created: 0, owned_by: 'simulator' }));
  return new Map([
    ...Object.entries(PROTOCOLS).map(([path, protocol]): [string, Map<string, Handler>] => {
      const endpoint = new Endpoint(protocol as Protocol, settings, books);
      return [path, new Map([['POST', (...exchange) => endpoint.serve(...exchange)]])];
    }),
    [
      '/v1/models',
      new Map<string, Handler>([['GET', (_, response) => send(response, { object: 'list', data: models })]]),
    ],
    ['/stats', new Map([['GET', stats]])],
    ['/stats/reset', new Map([['POST', reset]])],
    ['/hold', new Map([['POST', hold]])],
    ['/release', new Map([['POST', release]])],
  ]);
}

/** The key as a bearer token, or in a header such as `x-api-key`. */
function isAuthorized({ headers }: IncomingMessage, { apiKey }: Settings): boolean {
  if (apiKey === undefined || headers.authorization === `Bearer ${apiKey}`) return true;
  return Object.entries(headers).some(([name, value]) => name.endsWith('api-key') && value === apiKey);
}

/** A number of answers in the query of an address; undefined without one. */
function answersIn(url: string, name: 'after' | 'held'): number | undefined {
  const answers = new URLSearchParams(url.slice(pathOf(url).length)).get(name);
  return answers === null ? undefined : Number(answers);
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

const PICTURE_PATH = /^\/pictures\/([\da-f]{64})-(\d)\.png$/;

/** Serves a picture that an answer has pointed to; false if the path is that of none. */
function servePicture(path: string, response: ServerResponse, seed: number): boolean {
  const [, hash, number] = PICTURE_PATH.exec(path) ?? [];
  if (hash === undefined) return false;
  const png = Buffer.from(drawPicture(Draws.ofRequest(seed, hash), Number(number)), 'base64');
  response.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': png.length }).end(png);
  return true;
}
