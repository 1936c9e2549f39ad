import { setTimeout as sleep } from 'node:timers/promises';
import { fieldsOf } from '@data-designer/core';
import { msOfRetryAfter } from '@data-designer/core/retry-after';
import type { ToolCallOptions, ToolCallResult } from './tool-session.ts';

const FIRST_WAIT_MS = 500;
/** The shortest wait: a server may ask for none, and then refuse again at once. */
const SHORTEST_WAIT_MS = 100;
/** The largest part by which a wait is longer: calls that were refused together should not come back together. */
const SPREAD = 0.2;
/** Waits for a server that does not say how long: 7.5 s in all. */
const MOST_UNASKED_WAITS = 4;

/** The waits before one request is sent again to a server that has too much to do; none ends after the deadline. */
export class BusyWaits {
  readonly #deadline: number;
  readonly #random: () => number;
  #unasked = 0;

  /** The deadline is a time of `performance.now()`. */
  constructor(deadline: number, random: () => number = Math.random) {
    this.#deadline = deadline;
    this.#random = random;
  }

  /** The next wait in milliseconds, as long as the server asked or a little longer, or else a growing one; undefined if there is no time for it. */
  next(askedMs: number | undefined): number | undefined {
    if (askedMs === undefined && this.#unasked >= MOST_UNASKED_WAITS) return undefined;
    const waitMs = Math.max(SHORTEST_WAIT_MS, askedMs ?? FIRST_WAIT_MS * 2 ** this.#unasked++);
    const leftMs = this.#deadline - performance.now();
    if (waitMs >= leftMs) return undefined;
    return Math.min(waitMs * (1 + SPREAD * this.#random()), (waitMs + leftMs) / 2);
  }
}

/** The milliseconds that a `Retry-After` header asks to wait; 0 for one in the past. */
export function retryAfterMs(header: string | null): number | undefined {
  const ms = msOfRetryAfter(header, Date.now());
  return ms === undefined ? undefined : Math.max(0, ms);
}

/** The milliseconds that a JSON-RPC error about a rate limit asks to wait, null if it names none; undefined for other errors. */
export function rateLimitOf(error: unknown): number | null | undefined {
  const { code, message, data } = fieldsOf(error);
  const isLimit = code === 429 || /\brate[ _-]?limit|\btoo many requests\b/i.test(String(message));
  if (!isLimit) return undefined;
  const { retryAfterMs: ms, retry_after_ms: alsoMs, retryAfter, retry_after: alsoSeconds } = fieldsOf(data);
  const waits = [ms, alsoMs, scaled(retryAfter), scaled(alsoSeconds)].map(Number);
  return waits.find((wait) => Number.isFinite(wait) && wait >= 0) ?? null;
}

function scaled(seconds: unknown): number {
  return Number(seconds ?? NaN) * 1_000;
}

/** Repeats a request while the server answers that it is over a rate limit, within its time limit and not after `latest`. */
export async function despiteRateLimit(
  request: (left: ToolCallOptions) => Promise<ToolCallResult>,
  options: ToolCallOptions,
  latest: number,
): Promise<ToolCallResult> {
  const { timeoutMs, signal } = options;
  const deadline = performance.now() + timeoutMs;
  const waits = new BusyWaits(Math.min(deadline, latest));
  let result = await request(options);
  while (result.kind === 'failed' && result.rateLimit !== undefined) {
    const waitMs = waits.next(result.rateLimit ?? undefined);
    if (waitMs === undefined) break;
    // An abort ends the wait, and the next request rejects with its reason.
    await sleep(waitMs, undefined, signal && { signal }).catch(() => undefined);
    result = await request({ ...options, timeoutMs: Math.max(1, deadline - performance.now()) });
  }
  return result;
}
