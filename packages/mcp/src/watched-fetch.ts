import type { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Redact, systemCode } from '@data-designer/core';
import { boundedBody, OversizedMessage } from './bounded-body.ts';
import { BusyWaits, retryAfterMs } from './busy-waits.ts';
import { readRefusal } from './http-refusal.ts';
import type { InFlight } from './in-flight.ts';
import type { LinkListener } from './link.ts';
import { takeMessages, takenEvents } from './message-body.ts';
import { reasonOf } from './reason-of.ts';
import { SessionFault } from './tool-session.ts';

/** Time for the parser to deliver a message after its stream has ended. */
const PARSE_MS = 100;

/** What a watched `fetch` knows of its link. */
export interface WatchedLink {
  /** The requests in flight. */
  readonly calls: AsyncLocalStorage<InFlight>;
  readonly redact: Redact;
  /** When opening the link is given up, a time of `performance.now()`. */
  readonly startBy: number;
  /** Whether every message belongs to a session; else only one with a session's header does. */
  readonly isSession: boolean;
  /** The largest message in bytes. */
  readonly mostBytes: number;
  /** Takes the messages of the server, which then do not reach the SDK: it refuses those that are not formed as it expects. */
  readonly onMessage: LinkListener['onMessage'];
  /** Called when a stream that belongs to no call ends with a message over the bound. */
  readonly onOversized?: (fault: OversizedMessage) => void;
}

/**
 * A `fetch` for the remote transports of the MCP SDK, which leave calls waiting when a stream breaks: it ends the call
 * in flight then, cancels the request of a call that ended, waits for a busy server, and gives a plain reason.
 */
export function watchedFetch(base: typeof fetch, link: WatchedLink): typeof fetch {
  return async (input, init) => {
    const call = link.calls.getStore();
    const response = await sendUntilFree(base, [input, call ? withCall(init, call) : init], { call, link });
    if (response.status >= 400 && (init?.method === 'POST' || call !== undefined)) {
      const hasSession = link.isSession || new Headers(init?.headers).has('mcp-session-id');
      const refusal = await readRefusal(response, { redact: link.redact, hasSession });
      // The server refused to resume a broken stream: nothing else would end the call.
      if (init?.method === 'GET') call?.end('disconnected', refusal.message);
      throw refusal;
    }
    const type = response.headers.get('content-type') ?? '';
    const isEventStream = type.includes('event-stream');
    // A redirect and an accepted message carry no answer.
    if (response.body === null || response.status === 202 || response.status >= 300) return response;
    if (call === undefined && !isEventStream) return response;
    const bounded = watch(response.body.pipeThrough(boundedBody(isEventStream, link.mostBytes)), { call, link });
    // An SSE server accepts a message with a body of any kind.
    if (call !== undefined && !link.isSession && /^\s*application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
      await takeJson(new Response(bounded), call, link);
      return new Response(null, { status: 202, headers: response.headers });
    }
    const { status, headers } = response;
    return new Response(isEventStream ? withoutMessages(bounded, { call, link }) : bounded, { status, headers });
  };
}

/** Takes the messages of a JSON body. Nothing else will answer its call: an error for no other one is for this one. */
async function takeJson(response: Response, call: InFlight, { onMessage }: WatchedLink): Promise<void> {
  const text = await response.text();
  takeMessages(text, (message) => onMessage(message, call));
  if (call.isUnderWay) call.answer({ kind: 'failed', reason: `its answer is no JSON-RPC response: ${start(text)}` });
}

/** Characters of an answer in a reason. */
const SHOWN = 500;

function start(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** An event stream whose messages go to the link. */
function withoutMessages(body: Body, { call, link }: Sending): Body {
  const taken = takenEvents((message) => link.onMessage(message, call));
  return body.pipeThrough(new TextDecoderStream()).pipeThrough(taken).pipeThrough(new TextEncoderStream());
}

function withCall(init: RequestInit | undefined, call: InFlight): RequestInit {
  const headers = new Headers(init?.headers);
  for (const [name, value] of Object.entries(call.headers)) headers.set(name, value);
  return { ...init, headers, signal: call.signal };
}

/** The request and what is known of it. */
interface Sending {
  readonly call: InFlight | undefined;
  readonly link: WatchedLink;
}

/** Sends a request again while the server says that it is busy, within the time of the call or of the opening. */
async function sendUntilFree(
  base: typeof fetch,
  request: Parameters<typeof fetch>,
  { call, link }: Sending,
): Promise<Response> {
  const waits = new BusyWaits(call?.deadline ?? link.startBy);
  for (;;) {
    const response = await send(base, request, call);
    const isBusy = request[1]?.method !== 'DELETE' && isBusyStatus(response.status, call);
    const waitMs = isBusy ? waits.next(retryAfterMs(response.headers.get('retry-after'))) : undefined;
    if (waitMs === undefined) return response;
    await response.body?.cancel();
    const { signal } = request[1] ?? {};
    await sleep(waitMs, undefined, signal ? { signal } : undefined);
  }
}

/** 502 and 504 leave open whether the request ran. */
function isBusyStatus(status: number, call: InFlight | undefined): boolean {
  return status === 429 || status === 503 || ((status === 502 || status === 504) && call?.mayRunTwice !== false);
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

/** The same stream. If it ends and cannot be resumed, its call ends. */
function watch(body: Body, { call, link }: Sending): Body {
  const reader = body.getReader();
  const ended = (): void => {
    setTimeout(() => {
      if (call?.resumable === false) call.end('disconnected', 'the stream of its answer broke off');
    }, PARSE_MS).unref();
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (thrown) {
        const isOversized = thrown instanceof OversizedMessage;
        if (isOversized && call) call.answer({ kind: 'failed', reason: thrown.message });
        else if (isOversized) link.onOversized?.(thrown);
        controller.error(call?.signal.aborted === true || isOversized ? thrown : networkFault(thrown));
      }
      ended();
    },
    cancel: (reason) => reader.cancel(reason),
  });
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
