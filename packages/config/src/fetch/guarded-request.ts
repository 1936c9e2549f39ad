import type * as http from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FetchRefusal } from './fetch-refusal.ts';
import { checkHost, guardedLookup, type Reach } from './guarded-lookup.ts';

/** Credentials for one server: not sent to a redirect target, nor on a redirect back. */
interface Credentials {
  /** The server's `URL.origin`. */
  readonly origin: string;
  /** The value of the `Authorization` header. */
  readonly authorization: string;
}

/** The content of a request. It is opened again for each redirect that repeats the request. */
export interface RequestContent {
  readonly method: 'POST' | 'PUT';
  /** The exact length. */
  readonly bytes: number;
  readonly open: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Which servers a request may reach, what it sends, and its time limits. */
export interface GuardedRequestOptions extends Reach {
  /** Aborts the request, its redirects and the body. */
  readonly signal: AbortSignal;
  /** Headers for every server on the way. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly credentials?: Credentials;
  /** JSON text to post. Without it and `sends` the request is a GET. */
  readonly post?: string;
  /** Other content to send; its `content-type` is in `headers`. */
  readonly sends?: RequestContent;
  /** Ends an idle connection after this time; without it only the signal does. */
  readonly idleMs?: number;
}

/** A final answer, its body not yet read, and its address. */
export interface Answer {
  readonly response: IncomingMessage;
  readonly url: URL;
}

/** The maximum number of redirects. */
const MAX_REDIRECTS = 5;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** The redirects that send the content to the new address too. */
const SENDING_REDIRECTS = new Set([307, 308]);

/**
 * Sends a GET, a POST or a PUT and returns the answer of any status, after at most five redirects, each checked like the first
 * address. Read or destroy its body. Throws `FetchRefusal` for a forbidden address, or the error of the connection.
 */
export async function guardedRequest(first: URL, asking: GuardedRequestOptions): Promise<Answer> {
  let url = first;
  let isOrigin = true;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    checkAddress(url, asking);
    isOrigin &&= url.origin === asking.credentials?.origin;
    const response = await ask(url, asking, { isOrigin });
    const next = nextAddress(response, url, asking);
    if (next === undefined) return { response, url };
    url = next;
  }
  throw new FetchRefusal(`the server redirected more than ${MAX_REDIRECTS} times`);
}

/** Sends one request on its own connection, without proxies, cookies or other user data. */
async function ask(
  url: URL,
  asking: GuardedRequestOptions,
  { isOrigin }: { isOrigin: boolean },
): Promise<IncomingMessage> {
  // Imported here: Node's HTTP takes a thread 20 ms to load, and few runs fetch anything.
  const { request: start }: Pick<typeof http, 'request'> = await import(
    url.protocol === 'https:' ? 'node:https' : 'node:http'
  );
  const sends = sendingOf(asking);
  return new Promise((resolve, reject) => {
    const request = start(url, requestOptions(asking, { isOrigin, sends }));
    let open: { destroy(error: Error): unknown } = request;
    request
      .on('response', (response) => {
        open = response;
        resolve(response);
      })
      .on('timeout', () => open.destroy(idleRefusal(asking)))
      .on('error', reject)
      // A response that switches the protocol closes the request without an error event.
      .on('close', () => reject(new FetchRefusal('the server closed the connection', { mayPass: true })));
    // The error of the content comes first: the request ends without one.
    if (sends) pipeline(Readable.from(sends.open()).on('error', reject), request).catch(() => {});
    else request.end();
  });
}

function sendingOf({ post, sends }: GuardedRequestOptions): RequestContent | undefined {
  if (post === undefined) return sends;
  const content = Buffer.from(post);
  return { method: 'POST', bytes: content.length, open: () => [content] };
}

interface Sent {
  readonly isOrigin: boolean;
  readonly sends: RequestContent | undefined;
}

function requestOptions(asking: GuardedRequestOptions, { isOrigin, sends }: Sent): RequestOptions {
  const { credentials, headers, idleMs, signal } = asking;
  return {
    ...(sends && { method: sends.method }),
    agent: false,
    lookup: guardedLookup(asking),
    signal,
    ...(idleMs === undefined ? {} : { timeout: idleMs }),
    headers: {
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'data-designer',
      ...contentHeaders(asking, sends),
      ...headers,
      ...(isOrigin && credentials ? { authorization: credentials.authorization } : {}),
    },
  };
}

function contentHeaders({ post }: GuardedRequestOptions, sends: RequestContent | undefined): OutgoingHttpHeaders {
  if (!sends) return {};
  return { ...(post === undefined ? {} : { 'content-type': 'application/json' }), 'content-length': sends.bytes };
}

function idleRefusal({ idleMs = 0 }: GuardedRequestOptions): FetchRefusal {
  return new FetchRefusal(`the server sent nothing for ${idleMs / 1000} seconds`, { mayPass: true });
}

/** The address that an answer redirects to; undefined for any other answer. */
function nextAddress(response: IncomingMessage, url: URL, asking: GuardedRequestOptions): URL | undefined {
  const { location } = response.headers;
  const followed = sendingOf(asking) ? SENDING_REDIRECTS : REDIRECTS;
  if (!followed.has(response.statusCode ?? 0) || location === undefined) return undefined;
  response.destroy();
  return redirectTarget(location, url);
}

/** Checks the first address or that of a redirect; throws `FetchRefusal` if it is forbidden. */
export function checkAddress(url: URL, reach: Reach): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new FetchRefusal(`addresses must start with https:// or http://, not ${url.protocol}//`);
  if (url.username !== '' || url.password !== '')
    throw new FetchRefusal('the address contains a user name or a password; remove it');
  checkHost(url.hostname, reach);
}

/** The address in a `Location` header; throws `FetchRefusal` for an invalid one and from https to http. */
export function redirectTarget(location: string, from: URL): URL {
  if (!URL.canParse(location, from.href)) throw new FetchRefusal('the server redirects to an invalid address');
  const target = new URL(location, from);
  if (from.protocol === 'https:' && target.protocol === 'http:')
    throw new FetchRefusal('the server redirects from https to unencrypted http');
  return target;
}
