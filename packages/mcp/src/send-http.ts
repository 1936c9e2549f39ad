import { setTimeout as sleep } from 'node:timers/promises';
import { systemCode } from '@data-designer/core';
import { BusyWaits, retryAfterMs } from './busy-waits.ts';
import type { InFlight } from './in-flight.ts';
import { reasonOf } from './reason-of.ts';
import { SessionFault } from './tool-session.ts';

/** The limits of sending a request. */
interface SendingLimits {
  readonly call: InFlight | undefined;
  /** When opening the link is given up, a time of `performance.now()`. */
  readonly startBy: number;
}

/** Sends a request again while the server says that it is busy, within the time of the call or of the opening. */
export async function sendUntilFree(
  base: typeof fetch,
  request: Parameters<typeof fetch>,
  { call, startBy }: SendingLimits,
): Promise<Response> {
  const waits = new BusyWaits(call?.deadline ?? startBy);
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
export function networkFault(thrown: unknown): SessionFault {
  const cause = causeOf(thrown);
  const code = systemCode(cause);
  if (isUndecodable(code))
    return new SessionFault('disconnected', `its answer cannot be decompressed (${code})`, { cause: thrown });
  const late = code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
  const reason = `no connection (${code || reasonOf(cause ?? thrown)})`;
  const isUnsent = BEFORE_SENDING.has(code);
  return new SessionFault(late ? 'timed-out' : 'disconnected', reason, { cause: thrown, isUnsent });
}

/** Whether a body does not have the encoding that its header names. */
function isUndecodable(code: string): boolean {
  return code.startsWith('Z_') || code.startsWith('ERR_BROTLI') || code.startsWith('ERR__ERROR_FORMAT');
}

function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error ? thrown.cause : undefined;
}
