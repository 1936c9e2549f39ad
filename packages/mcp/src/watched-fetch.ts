import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Redact } from '@data-designer/core';
import type { InFlight } from './in-flight.ts';
import { SessionFault } from './tool-session.ts';

/** How much of an error page goes into a reason. */
const PAGE_KEPT = 500;
/** How long a message may still be on its way through the parser after its stream has ended. */
const PARSE_MS = 100;

/**
 * A `fetch` for the remote transports of the MCP SDK, which leave calls waiting when a stream breaks: it ends the call
 * in flight then, takes its request off the wire when the call is ended, and says plainly what went wrong.
 */
export function watchedFetch(base: typeof fetch, calls: AsyncLocalStorage<InFlight>, redact: Redact): typeof fetch {
  return async (input, init) => {
    const call = calls.getStore();
    const response = await send(base, [input, call ? { ...init, signal: call.signal } : init], call);
    if (response.status >= 400 && (init?.method === 'POST' || call !== undefined)) {
      const failure = await statusFailure(response, redact);
      // What was to take a broken stream up again is refused: nothing else would end the call.
      if (init?.method === 'GET') call?.end('disconnected', failure.message);
      throw failure;
    }
    if (call === undefined || response.body === null || response.status === 202) return response;
    return new Response(watch(response.body, call), { status: response.status, headers: response.headers });
  };
}

async function send(base: typeof fetch, request: Parameters<typeof fetch>, call?: InFlight): Promise<Response> {
  try {
    return await sendAgainIfStale(base, request);
  } catch (thrown) {
    if (request[1]?.signal?.aborted === true) throw thrown;
    const fault = networkFault(thrown);
    if (request[1]?.method === 'GET' && fault.kind === 'disconnected') call?.end('disconnected', fault.message);
    throw fault;
  }
}

/** A GET that met a connection which the server had closed is sent once more: a broken stream takes others along. */
async function sendAgainIfStale(base: typeof fetch, request: Parameters<typeof fetch>): Promise<Response> {
  try {
    return await base(...request);
  } catch (thrown) {
    const code = ((thrown as Error).cause as NodeJS.ErrnoException | undefined)?.code;
    if (request[1]?.method !== 'GET' || (code !== 'UND_ERR_SOCKET' && code !== 'ECONNRESET')) throw thrown;
    return base(...request);
  }
}

type Body = NonNullable<Response['body']>;

/** The same stream; when it ends without having been told how to go on, so does the call. */
function watch(body: Body, call: InFlight): Body {
  const reader = body.getReader();
  const ended = (): void => {
    setTimeout(() => {
      if (!call.resumable) call.end('disconnected', 'the stream of its answer broke off');
    }, PARSE_MS).unref();
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (thrown) {
        controller.error(call.signal.aborted ? thrown : networkFault(thrown));
      }
      ended();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** A session that the server no longer knows is a lost connection; any other status is the server's answer. */
async function statusFailure(response: Response, redact: Redact): Promise<Error> {
  const page = redact(await response.text().catch(() => ''))
    .slice(0, PAGE_KEPT)
    .trim();
  const reason = `HTTP ${response.status}${page && `: ${page}`}`;
  // A session that is not known runs nothing.
  return isForgotten(response.status, page)
    ? new SessionFault('disconnected', reason, { isUnsent: true })
    : new Error(reason);
}

/** The protocol has 404 for it; many servers, the reference server among them, say 400 with such words. */
function isForgotten(status: number, page: string): boolean {
  return status === 404 || (status === 400 && /no valid session|session (?:id )?not found|not initialized/i.test(page));
}

/** Faults of a connection that was never open. */
const BEFORE_SENDING = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** What `fetch` hides behind "fetch failed", and behind any number of addresses that were tried. */
function networkFault(thrown: unknown): SessionFault {
  const cause = (thrown as Error).cause as NodeJS.ErrnoException | undefined;
  const code = cause?.code;
  const late = code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
  const reason = `no connection (${code ?? cause?.message ?? (thrown as Error).message})`;
  const isUnsent = code !== undefined && BEFORE_SENDING.has(code);
  return new SessionFault(late ? 'timed-out' : 'disconnected', reason, { cause: thrown, isUnsent });
}
