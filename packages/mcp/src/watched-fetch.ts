import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Redact } from '@data-designer/core';
import { isJsonType, takeBody } from './answer-body.ts';
import { boundedBody, OversizedMessage } from './bounded-body.ts';
import { readRefusal } from './http-refusal.ts';
import type { InFlight } from './in-flight.ts';
import type { LinkListener } from './link.ts';
import { takenEvents } from './message-body.ts';
import { OpenStreams } from './open-streams.ts';
import { networkFault, sendUntilFree } from './send-http.ts';

/** Time for the parser to deliver a message after its stream has ended. */
const PARSE_MS = 100;
/** Time for a server to end the stream of an answer that it has sent. */
const LINGER_MS = 1_000;

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
  readonly onStray: LinkListener['onStray'];
  /** Called when a stream that belongs to no call ends with a message over the bound. */
  readonly onOversized?: (fault: OversizedMessage) => void;
}

/**
 * A `fetch` for the remote transports of the MCP SDK, which leave calls waiting when a stream breaks: it ends the call
 * in flight then, cancels the request of a call that ended, waits for a busy server, and gives a plain reason.
 */
export function watchedFetch(base: typeof fetch, link: WatchedLink): typeof fetch {
  const streams = new OpenStreams();
  return async (input, init) => {
    const call = link.calls.getStore();
    if (init?.method === 'GET') await streams.pace(call, init.signal);
    const response = await sendUntilFree(base, [input, call ? withCall(init, call) : init], {
      call,
      startBy: link.startBy,
    });
    if (response.status >= 400 && (init?.method === 'POST' || call !== undefined)) {
      const hasSession = link.isSession || new Headers(init?.headers).has('mcp-session-id');
      const refusal = await readRefusal(response, { redact: link.redact, hasSession });
      // The server refused to resume a broken stream: nothing else would end the call.
      if (init?.method === 'GET') call?.end('disconnected', `${BROKEN}, and resuming it failed: ${refusal.message}`);
      throw refusal;
    }
    const type = response.headers.get('content-type') ?? '';
    // A redirect carries no answer.
    if (response.status >= 300) return response;
    if (/\bevent-stream\b/i.test(type) && response.body !== null) {
      const body = withoutMessages(watch(response.body, { call, isStream: true }), { call, link });
      const { headers, status } = response;
      // The SDK does not read the stream of an accepted message.
      return new Response(call ? body : streams.counted(body), { status: status === 202 ? 200 : status, headers });
    }
    if (call === undefined) return response;
    if (link.isSession) void takeAccepted(response, { call, link });
    else {
      const unread = await takeAnswer(response, { call, link });
      // A server may accept a request and answer it in the stream that it keeps open.
      const mayFollow = unread === undefined && response.status === 202 && streams.isOpen;
      const reason = unread ?? `it sent no answer (HTTP ${response.status})`;
      if (!mayFollow) call.answer({ kind: 'failed', reason });
    }
    return new Response(null, { status: 202, headers: response.headers });
  };
}

/** Takes the answer in a body that is no event stream; gives why it may be none. */
async function takeAnswer({ body, headers }: Response, { call, link }: Sending): Promise<string | undefined> {
  const type = headers.get('content-type') ?? '';
  if (body === null) return undefined;
  const bounded = watch(body.pipeThrough(boundedBody(link.mostBytes)), { call, isStream: false });
  return takeBody(bounded, type, (message) => link.onMessage(message, call));
}

/** Some servers answer a message as they accept it, and not in their stream. They accept it with a body of any kind. */
async function takeAccepted(response: Response, sending: Sending): Promise<void> {
  if (isJsonType(response.headers.get('content-type') ?? ''))
    await takeAnswer(response, sending).catch(() => undefined);
  else await response.body?.cancel();
}

/** An event stream whose messages go to the link. */
function withoutMessages(body: Body, { call, link }: Sending): Body {
  const taken = takenEvents({
    take: (message) => link.onMessage(message, call),
    onStray: link.onStray,
    mostChars: link.mostBytes,
    onEndless: (fault) => (call ? call.answer({ kind: 'failed', reason: fault.message }) : link.onOversized?.(fault)),
  });
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

type Body = NonNullable<Response['body']>;

const BROKEN = 'the stream of its answer broke off';

/** The call of a body, and whether that is a stream of events. */
interface Watching {
  readonly call: InFlight | undefined;
  readonly isStream: boolean;
}

/** The same body. If a stream ends and cannot be resumed, its call ends. If it does not end after its call, it is closed. */
function watch(body: Body, { call, isStream }: Watching): Body {
  const reader = body.getReader();
  void call?.ended.then(() => setTimeout(() => void reader.cancel().catch(() => undefined), LINGER_MS).unref());
  const ended = (): void => {
    if (!isStream) return;
    setTimeout(() => {
      if (call?.resumable === false) call.end('disconnected', BROKEN);
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
        if (isOversized) call?.answer({ kind: 'failed', reason: thrown.message });
        controller.error(call?.signal.aborted === true || isOversized ? thrown : networkFault(thrown));
      }
      ended();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
