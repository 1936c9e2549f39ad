import type { AsyncLocalStorage } from 'node:async_hooks';
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
export function watchedFetch(base: typeof fetch, calls: AsyncLocalStorage<InFlight>): typeof fetch {
  return async (input, init) => {
    const call = calls.getStore();
    const response = await send(base, [input, call ? { ...init, signal: call.signal } : init], call);
    if (init?.method !== 'POST') return response;
    if (response.status >= 400) throw await statusFailure(response);
    if (call === undefined || response.body === null) return response;
    const body = ReadableStream.from(watch(response.body, call)) as ConstructorParameters<typeof Response>[0];
    return new Response(body, { status: response.status, headers: response.headers });
  };
}

async function send(base: typeof fetch, request: Parameters<typeof fetch>, call?: InFlight): Promise<Response> {
  try {
    return await base(...request);
  } catch (thrown) {
    if (request[1]?.signal?.aborted === true) throw thrown;
    const fault = networkFault(thrown);
    // Taking a broken stream up again has failed: nothing else would end the call.
    if (request[1]?.method === 'GET' && fault.kind === 'disconnected') call?.end('disconnected', fault.message);
    throw fault;
  }
}

async function* watch(body: ReadableStream<Uint8Array>, call: InFlight): AsyncGenerator<Uint8Array> {
  const ended = (): void => {
    if (!call.resumable) call.end('disconnected', 'the stream of its answer broke off');
  };
  try {
    yield* body as unknown as AsyncIterable<Uint8Array>;
  } catch (thrown) {
    throw call.signal.aborted ? thrown : networkFault(thrown);
  } finally {
    setTimeout(ended, PARSE_MS).unref();
  }
}

/** A session that the server no longer knows is a lost connection; any other status is the server's answer. */
async function statusFailure(response: Response): Promise<Error> {
  const page = (await response.text().catch(() => '')).slice(0, PAGE_KEPT).trim();
  const reason = `HTTP ${response.status}${page && `: ${page}`}`;
  return response.status === 404 ? new SessionFault('disconnected', reason) : new Error(reason);
}

/** What `fetch` hides behind "fetch failed", and behind any number of addresses that were tried. */
function networkFault(thrown: unknown): SessionFault {
  const cause = (thrown as Error).cause as NodeJS.ErrnoException | undefined;
  const code = cause?.code;
  const late = code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
  const reason = `no connection (${code ?? cause?.message ?? (thrown as Error).message})`;
  return new SessionFault(late ? 'timed-out' : 'disconnected', reason, { cause: thrown });
}
