import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { checkAddress } from './check-address.ts';
import { FetchRefusal } from './fetch-refusal.ts';
import { guardedLookup, type Reach } from './guarded-lookup.ts';
import { redirectTarget } from './redirect-target.ts';

/** How a document may be asked for: of whom, and how long. */
export interface Asking extends Reach {
  /** Ends the whole conversation, redirects and body included. */
  readonly signal: AbortSignal;
}

/** How often a server may name another address. */
const MAX_REDIRECTS = 5;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * The answer that holds a document, after at most five redirects, each checked as the first address was. Throws
 * `FetchRefusal` for what may not be asked and for answers without a document.
 */
export async function requestDocument(first: URL, asking: Asking): Promise<IncomingMessage> {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    checkAddress(url, asking);
    const response = await ask(url, asking);
    const next = nextAddress(response, url);
    if (next === undefined) return response;
    url = next;
  }
  throw new FetchRefusal(`there are more than ${MAX_REDIRECTS} redirects`);
}

/** One request on a connection of its own, past every proxy; nothing of the user or of other answers goes along. */
function ask(url: URL, asking: Asking): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestSecure : requestPlain;
  return new Promise((resolve, reject) => {
    request(url, {
      agent: false,
      lookup: guardedLookup(asking),
      signal: asking.signal,
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'data-designer' },
    })
      .on('response', resolve)
      .on('error', reject)
      // An answer that is none, as one that switches the protocol, ends a request without a word.
      .on('close', () => reject(new FetchRefusal('the server broke the connection off')))
      .end();
  });
}

/** Where an answer says that the document is; undefined if it is the document itself. */
function nextAddress(response: IncomingMessage, url: URL): URL | undefined {
  const { statusCode: status = 0 } = response;
  const { location } = response.headers;
  if (status === 200) return undefined;
  response.destroy();
  if (REDIRECTS.has(status) && location !== undefined) return redirectTarget(location, url);
  throw new FetchRefusal(refusalOf(status));
}

function refusalOf(status: number): string {
  const byHand = 'download it and load the file';
  if (status === 401) return `the server asks for a login, which is not sent (401); ${byHand}`;
  if (status === 403) return `the server forbids reading it (403); check that it is public, or ${byHand}`;
  if (status === 404) return 'the server has nothing there (404); check the address, and that it is public';
  return `the server answered with status ${status}`;
}
