import { type Answer, guardedRequest, readBody, redirectTarget } from '@data-designer/config';
import { DataDesignerError } from '@data-designer/core';
import { answerFailure, pathOf, shownUrl, type WantedHubPart } from './hub-answer.ts';
import type { HubToken } from './hub-token.ts';
import { tryAgain } from './try-again.ts';

/** How to reach a Hub. */
export interface HubClientOptions {
  /** The base address of the Hub. */
  readonly endpoint: URL;
  /** Sent only to the scheme, host and port of the endpoint. */
  readonly token: HubToken | undefined;
  /** Whether to allow servers of this machine and its network. */
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
  /** The longest wait before the first retry; it doubles with each. */
  readonly retryDelayMs: number;
}

/** A page of the Hub's API, and the address of the next one. */
interface ApiPage {
  readonly value: unknown;
  readonly next: URL | undefined;
}

/** A client of one Hub. */
export interface HubClient extends HubClientOptions {
  /** Requests a page of the API, with retries; throws the errors of `answerFailure`. */
  readonly api: (url: URL, wanted: WantedHubPart) => Promise<ApiPage>;
  /** Requests a file, or the rest of it from a byte on, without retries; throws connection errors. */
  readonly file: (url: URL, wanted: WantedHubPart, from: number) => Promise<Answer['response']>;
}

/** The time limit of an API request. */
const API_MS = 60_000;
/** A connection without data for this long is closed. */
const IDLE_MS = 30_000;
/** A page holds a thousand entries, of some hundred bytes each. */
const MAX_PAGE_BYTES = 16_777_216;

/** Creates a client of the Hub at an address; it refuses private servers unless allowed. */
export function createHubClient(options: HubClientOptions): HubClient {
  return {
    ...options,
    api: (url, wanted) => {
      const path = pathOf(wanted);
      return tryAgain(() => readPage(options, url, wanted), { ...options, path, address: shownUrl(url) });
    },
    file: (url, wanted, from) => openFile(options, { url, wanted }, from),
  };
}

async function openFile(
  options: HubClientOptions,
  { url, wanted }: { readonly url: URL; readonly wanted: WantedHubPart },
  from: number,
): Promise<Answer['response']> {
  const headers = from === 0 ? undefined : { range: `bytes=${from}-` };
  const answer = await ask(options, url, { signal: options.signal, headers });
  const { response } = answer;
  const { statusCode: status } = response;
  if (status === 200 || (status === 206 && from > 0)) return response;
  if (status !== 416 || from === 0) return refuse(answer, wanted, options);
  response.destroy();
  return openFile(options, { url, wanted }, 0);
}

/** An address below the endpoint, with escaped names. */
export function hubUrl(endpoint: URL, names: readonly string[], query = ''): URL {
  const prefix = endpoint.pathname.replace(/\/+$/, '');
  return new URL(`${prefix}/${names.map(encodeURIComponent).join('/')}${query}`, endpoint);
}

async function readPage(options: HubClientOptions, url: URL, wanted: WantedHubPart): Promise<ApiPage> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(API_MS)]);
  const answer = await ask(options, url, { signal, headers: { accept: 'application/json' } });
  const { response } = answer;
  if (response.statusCode !== 200) return refuse(answer, wanted, options);
  const text = await readBody(response, MAX_PAGE_BYTES);
  // A body without a length ends normally when the connection is closed: check the time limit.
  signal.throwIfAborted();
  const { link } = response.headers;
  return { value: parse(text, wanted), next: nextPage(typeof link === 'string' ? link : undefined, answer.url) };
}

interface Asked {
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string>> | undefined;
}

function ask(options: HubClientOptions, url: URL, { signal, headers }: Asked): Promise<Answer> {
  const { allowPrivate, endpoint, token } = options;
  const credentials = token && { origin: endpoint.origin, authorization: `Bearer ${token.value}` };
  return guardedRequest(url, {
    allowPrivate,
    signal,
    idleMs: IDLE_MS,
    ...(headers && { headers }),
    ...(credentials && { credentials }),
  });
}

function refuse(answer: Answer, wanted: WantedHubPart, { token }: HubClientOptions): never {
  answer.response.destroy();
  throw answerFailure(answer, wanted, token);
}

function parse(text: string, wanted: WantedHubPart): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notTheApi(wanted, { cause });
  }
}

/** The error of an endpoint that does not answer as a Hub does. */
export function notTheApi(wanted: WantedHubPart, options: ErrorOptions = {}): DataDesignerError<'hub/refused'> {
  const reason = `the answer of ${wanted.endpoint.host} is not one of the Hub API`;
  return new DataDesignerError(
    'hub/refused',
    { path: pathOf(wanted), reason, remedy: 'Correct the endpoint.' },
    options,
  );
}

/** The address of the next page in a `Link` header (RFC 8288). */
function nextPage(link: string | undefined, from: URL): URL | undefined {
  const target = /<([^<>]*)>[^<>]*;\s*rel="?next"?/i.exec(link ?? '')?.[1];
  return target === undefined ? undefined : redirectTarget(target, from);
}
