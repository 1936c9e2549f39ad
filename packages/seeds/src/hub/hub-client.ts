import { type Answer, guardedRequest, readBody, redirectTarget } from '@data-designer/config';
import { DataDesignerError } from '@data-designer/core';
import { answerFailure, pathOf, shownUrl, type Wanted } from './hub-answer.ts';
import type { HubToken } from './hub-token.ts';
import { tryAgain } from './try-again.ts';

/** How a Hub is asked. */
export interface HubClientOptions {
  /** The address of the Hub, under which its API stands. */
  readonly endpoint: URL;
  /** Sent to the endpoint's own scheme, host and port only. */
  readonly token: HubToken | undefined;
  /** Ask servers of this machine and its own network too. */
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
  /** The longest wait before a second attempt; it doubles with each. */
  readonly retryDelayMs: number;
}

/** What the API of a Hub says, and where it goes on. */
interface ApiPage {
  readonly value: unknown;
  readonly next: URL | undefined;
}

/** Asks one Hub. */
export interface HubClient extends HubClientOptions {
  /** What the API says at an address, asked again where that may help; throws what `answerFailure` gives. */
  readonly api: (url: URL, wanted: Wanted) => Promise<ApiPage>;
  /** The answer that holds a file, or what is left of it from a byte on; throws what the connection fails of. */
  readonly file: (url: URL, wanted: Wanted, from: number) => Promise<Answer['response']>;
}

/** For a page of the API, from the first byte asked to the last one read. */
const API_MS = 60_000;
/** Without a byte for so long a server is given up. */
const IDLE_MS = 30_000;
/** A page holds a thousand entries, of some hundred bytes each. */
const MAX_PAGE_BYTES = 16_777_216;

/** A client for the Hub at an address; its connections are its own, and only public servers are asked unless allowed. */
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
  { url, wanted }: { readonly url: URL; readonly wanted: Wanted },
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

/** An address below that of the Hub; the names in it stand for themselves. */
export function hubUrl(endpoint: URL, names: readonly string[], query = ''): URL {
  const prefix = endpoint.pathname.replace(/\/+$/, '');
  return new URL(`${prefix}/${names.map(encodeURIComponent).join('/')}${query}`, endpoint);
}

async function readPage(options: HubClientOptions, url: URL, wanted: Wanted): Promise<ApiPage> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(API_MS)]);
  const answer = await ask(options, url, { signal, headers: { accept: 'application/json' } });
  const { response } = answer;
  if (response.statusCode !== 200) return refuse(answer, wanted, options);
  const text = await readBody(response, MAX_PAGE_BYTES);
  // A body without a length ends like a whole one when the connection is given up.
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

function refuse(answer: Answer, wanted: Wanted, { token }: HubClientOptions): never {
  answer.response.destroy();
  throw answerFailure(answer, wanted, token);
}

function parse(text: string, wanted: Wanted): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notTheApi(wanted, { cause });
  }
}

/** What is said of an endpoint that answers, but not as a Hub does. */
export function notTheApi(wanted: Wanted, options: ErrorOptions = {}): DataDesignerError<'hub/refused'> {
  const reason = `what ${wanted.endpoint.host} answers is not what the API of a Hub says`;
  return new DataDesignerError(
    'hub/refused',
    { path: pathOf(wanted), reason, remedy: 'Correct the endpoint.' },
    options,
  );
}

/** Where the next page is, of a `Link` header (RFC 8288). */
function nextPage(link: string | undefined, from: URL): URL | undefined {
  const target = /<([^<>]*)>[^<>]*;\s*rel="?next"?/i.exec(link ?? '')?.[1];
  return target === undefined ? undefined : redirectTarget(target, from);
}
