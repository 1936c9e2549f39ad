import type * as http from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { FetchRefusal } from './fetch-refusal.ts';
import { checkHost, guardedLookup, type Reach } from './guarded-lookup.ts';

/** What goes to one server only: not to another one that it redirects to, and not back to it from there. */
interface Credentials {
  /** Scheme, host and port of that server, as `URL.origin` has them. */
  readonly origin: string;
  /** The value of the `Authorization` header. */
  readonly authorization: string;
}

/** How a server may be asked: of whom, what goes along, and how long. */
export interface Asking extends Reach {
  /** Ends the whole conversation, redirects and body included. */
  readonly signal: AbortSignal;
  /** Headers for every server that is asked; none of the user's. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly credentials?: Credentials;
  /** JSON text that is posted; nothing is sent but the question where absent. */
  readonly post?: string;
  /** Gives a connection up when nothing came over it for so long; without it only the signal does. */
  readonly idleMs?: number;
}

/** An answer that is no redirect, its body not yet read, and the address that gave it. */
export interface Answer {
  readonly response: IncomingMessage;
  readonly url: URL;
}

/** How often a server may name another address. */
const MAX_REDIRECTS = 5;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Those by which what was posted is to be posted again elsewhere: others ask for something else. */
const KEEPING_REDIRECTS = new Set([307, 308]);

/**
 * The answer to a GET, or a POST where there is something to post, whatever its status, after at most five redirects, each checked as the first address was. The
 * body must be read or destroyed. Throws `FetchRefusal` for what may not be asked, else what the connection failed of.
 */
export async function guardedRequest(first: URL, asking: Asking): Promise<Answer> {
  let url = first;
  let isHome = true;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    checkAddress(url, asking);
    isHome &&= url.origin === asking.credentials?.origin;
    const response = await ask(url, asking, { isHome });
    const next = nextAddress(response, url, asking);
    if (next === undefined) return { response, url };
    url = next;
  }
  throw new FetchRefusal(`there are more than ${MAX_REDIRECTS} redirects`);
}

/** One request on a connection of its own, past every proxy; nothing of the user or of other answers goes along. */
async function ask(url: URL, asking: Asking, { isHome }: { isHome: boolean }): Promise<IncomingMessage> {
  // Imported here: Node's HTTP takes a thread 20 ms to load, and few runs fetch anything.
  const { request: start }: Pick<typeof http, 'request'> = await import(
    url.protocol === 'https:' ? 'node:https' : 'node:http'
  );
  return new Promise((resolve, reject) => {
    const request = start(url, requestOptions(asking, isHome));
    let open: { destroy(error: Error): unknown } = request;
    request
      .on('response', (response) => {
        open = response;
        resolve(response);
      })
      .on('timeout', () => open.destroy(silence(asking)))
      .on('error', reject)
      // A response that switches the protocol closes the request without an error event.
      .on('close', () => reject(new FetchRefusal('the server broke the connection off', { mayPass: true })))
      .end(asking.post);
  });
}

function requestOptions(asking: Asking, isHome: boolean): RequestOptions {
  const { credentials, headers, idleMs, post, signal } = asking;
  return {
    ...(post === undefined ? {} : { method: 'POST' }),
    agent: false,
    lookup: guardedLookup(asking),
    signal,
    ...(idleMs === undefined ? {} : { timeout: idleMs }),
    headers: {
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'data-designer',
      ...(post === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(post)) }),
      ...headers,
      ...(isHome && credentials ? { authorization: credentials.authorization } : {}),
    },
  };
}

function silence({ idleMs = 0 }: Asking): FetchRefusal {
  return new FetchRefusal(`nothing came from the server for ${idleMs / 1000} seconds`, { mayPass: true });
}

/** Where an answer says that to go on; undefined if it is itself what was asked for, or a refusal. */
function nextAddress(response: IncomingMessage, url: URL, { post }: Asking): URL | undefined {
  const { location } = response.headers;
  const followed = post === undefined ? REDIRECTS : KEEPING_REDIRECTS;
  if (!followed.has(response.statusCode ?? 0) || location === undefined) return undefined;
  response.destroy();
  return redirectTarget(location, url);
}

/** Refuses an address, the first or one of a redirect, that may not be asked: throws `FetchRefusal`. */
export function checkAddress(url: URL, reach: Reach): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new FetchRefusal(`addresses of ${url.protocol}// are not read, only those of https:// and http://`);
  if (url.username !== '' || url.password !== '')
    throw new FetchRefusal('there is a user or password before its @; leave it out');
  checkHost(url.hostname, reach);
}

/**
 * Where a server says that a document is, from the `Location` of its answer. Throws `FetchRefusal` for what is no
 * address, and for a way from https to http; whether the address may be asked is for its own check.
 */
export function redirectTarget(location: string, from: URL): URL {
  if (!URL.canParse(location, from.href)) throw new FetchRefusal('the server redirects to what is not a valid address');
  const target = new URL(location, from);
  if (from.protocol === 'https:' && target.protocol === 'http:')
    throw new FetchRefusal('the server redirects from https to http, where anybody may change the document');
  return target;
}
