import type { AsyncLocalStorage } from 'node:async_hooks';
import { type Redact, systemCode } from '@data-designer/core';
import type { InFlight } from './in-flight.ts';
import { reasonOf } from './reason-of.ts';
import { SessionFault } from './tool-session.ts';

/** Characters of an error page in a reason. */
const PAGE_KEPT = 500;
/** Time for the parser to deliver a message after its stream has ended. */
const PARSE_MS = 100;

/**
 * A `fetch` for the remote transports of the MCP SDK, which leave calls waiting when a stream breaks: it ends the call
 * in flight then, cancels the request of a call that ended, and gives a plain reason.
 */
export function watchedFetch(base: typeof fetch, calls: AsyncLocalStorage<InFlight>, redact: Redact): typeof fetch {
  return async (input, init) => {
    const call = calls.getStore();
    const response = await send(base, [input, call ? { ...init, signal: call.signal } : init], call);
    if (response.status >= 400 && (init?.method === 'POST' || call !== undefined)) {
      const failure = await statusFailure(response, redact);
      // The server refused to resume a broken stream: nothing else would end the call.
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

/** Repeats a GET once if the server had closed its connection: a broken stream affects others on the connection. */
async function sendAgainIfStale(base: typeof fetch, request: Parameters<typeof fetch>): Promise<Response> {
  try {
    return await base(...request);
  } catch (thrown) {
    const code = systemCode(causeOf(thrown));
    if (request[1]?.method !== 'GET' || (code !== 'UND_ERR_SOCKET' && code !== 'ECONNRESET')) throw thrown;
    return base(...request);
  }
}

type Body = NonNullable<Response['body']>;

/** The same stream. If it ends and cannot be resumed, the call ends. */
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
  // A server runs nothing for an unknown session.
  return isForgotten(response.status, page)
    ? new SessionFault('disconnected', reason, { isUnsent: true })
    : new Error(reason);
}

/** The protocol asks for 404; many servers, the reference server included, answer 400 with such a text. */
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

/** The cause that `fetch` hides behind "fetch failed" and behind the addresses that it tried. */
function networkFault(thrown: unknown): SessionFault {
  const cause = causeOf(thrown);
  const code = systemCode(cause);
  const late = code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
  const reason = `no connection (${code || reasonOf(cause ?? thrown)})`;
  const isUnsent = BEFORE_SENDING.has(code);
  return new SessionFault(late ? 'timed-out' : 'disconnected', reason, { cause: thrown, isUnsent });
}

function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error ? thrown.cause : undefined;
}
