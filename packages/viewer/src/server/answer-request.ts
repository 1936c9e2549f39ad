import type { IncomingMessage, ServerResponse } from 'node:http';
import { stringifyJson } from '@data-designer/core';
import { LINKS, TOKEN_ADDRESS } from '../api/api.ts';
import { HEADERS } from './headers.ts';
import { sendDownload, sendMedium } from './links.ts';
import { sendEvents } from './live/send-events.ts';
import { failureOf, RequestFailure } from './request-failure.ts';
import { answerOf } from './routes.ts';
import type { Session } from './session.ts';
import type { ShownDatasets } from './shown-datasets.ts';
import { type readStaticFiles, sendStaticFile } from './static-files.ts';

/** What requests are answered from. */
export interface AnswerParts {
  readonly session: Session;
  readonly shown: ShownDatasets;
  readonly files: Awaited<ReturnType<typeof readStaticFiles>>;
}

const MAX_BODY_BYTES = 1 << 20;
const API = '/api/';

/** Answers one request, also one that fails. */
export async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  served: AnswerParts,
): Promise<void> {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  try {
    await answer(request, response, served);
  } catch (thrown) {
    if (response.headersSent) return void response.destroy();
    const { status, failure } = failureOf(thrown);
    sendJson(response, status, failure);
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, served: AnswerParts): Promise<void> {
  const { session, shown, files } = served;
  session.checkPage(request);
  const { pathname } = addressOf(request);
  if (pathname === '/favicon.ico') return void response.writeHead(204).end();
  const file = files.get(pathname);
  if (file && (request.method === 'GET' || request.method === 'HEAD')) {
    return sendStaticFile(file, request, response);
  }
  if (pathname === TOKEN_ADDRESS) {
    const body = await bodyOf(request);
    const token = typeof body === 'object' && body !== null && 'token' in body ? body.token : undefined;
    return void response.setHeader('set-cookie', session.cookieFor(token, request)).writeHead(204).end();
  }
  if (!pathname.startsWith(API)) throw notFound(pathname);
  session.checkCookie(request);
  if (request.method === 'GET' && (await sendLink(addressOf(request), response, shown))) return;
  const answering = answerOf(pathname.slice(API.length), await bodyOf(request), {
    shown,
    signal: closingOf(response),
  });
  if (!answering) throw notFound(pathname);
  sendJson(response, 200, await answering);
}

/** Answers an address that pages link to; false for any other. */
async function sendLink(
  { pathname, searchParams: query }: URL,
  response: ServerResponse,
  shown: ShownDatasets,
): Promise<boolean> {
  const isLink = Object.values<string>(LINKS).includes(pathname);
  if (!isLink) return false;
  const dataset = shown.of(query.get('dataset') ?? '');
  const signal = closingOf(response);
  if (pathname === LINKS.events) {
    const topic = query.get('topic') === 'answers' ? 'answers' : 'figures';
    await sendEvents(dataset, { topic, response, signal });
  } else if (pathname === LINKS.media) await sendMedium(dataset, query, response);
  else await sendDownload(dataset, query, { response, signal });
  return true;
}

/** Aborted when the page goes away before it has its answer. */
function closingOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => response.writableFinished || controller.abort());
  return controller.signal;
}

/** The address of a request; the host does not matter here. */
function addressOf({ url = '/' }: IncomingMessage): URL {
  const address = URL.parse(url, 'http://viewer');
  if (!address) throw new RequestFailure(400, 'view/bad-request', 'The address cannot be read.');
  return address;
}

function notFound(pathname: string): RequestFailure {
  return new RequestFailure(404, 'view/not-found', `There is no ${pathname} here.`);
}

/** The JSON body of a POST, which a form of another page cannot send. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  if (request.method !== 'POST') throw new RequestFailure(405, 'view/bad-request', 'Use POST with a JSON body.');
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
    throw new RequestFailure(415, 'view/bad-request', 'The body must be application/json.');
  }
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > MAX_BODY_BYTES) throw new RequestFailure(413, 'view/bad-request', 'The request is too large.');
    pieces.push(piece);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'));
    return body;
  } catch {
    throw new RequestFailure(400, 'view/bad-request', 'The body is not JSON.');
  }
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const text = stringifyJson(value);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(text);
}
