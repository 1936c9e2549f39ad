import { setTimeout as sleep } from 'node:timers/promises';

/** One attempt's end: an outcome to give on, a reason to try again, or no answer within the time. */
export type Attempt<Outcome> =
  | { readonly done: Outcome }
  | { readonly again: Outcome; readonly retryAfterMs: number | undefined; readonly counts: boolean }
  | { readonly late: Outcome };

/** How often and how long to try. */
export interface RetryPolicy {
  readonly baseMs: number;
  readonly maxMs: number;
  /** Attempts that count towards the end; rate limits are waited out until the deadline and do not count. */
  readonly maxAttempts: number;
  /** How many times longer each wait is than the one before; 2 unless given. */
  readonly factor?: number;
  /** Whether every failed attempt counts, refusals and late answers too. */
  readonly countsAll?: boolean;
}

/** Delays 2, 4, 8 s, at most 60 s (as in NeMo Data Designer), each drawn from 0 up: full jitter. */
export const RETRY_POLICY: RetryPolicy = { baseMs: 2000, maxMs: 60_000, maxAttempts: 4 };

/** The server's own wish counts when it gives one; else exponential backoff with full jitter. */
function delayMs(policy: RetryPolicy, attempt: number, retryAfterMs: number | undefined): number {
  if (retryAfterMs !== undefined) return retryAfterMs;
  return Math.random() * Math.min(policy.baseMs * (policy.factor ?? 2) ** attempt, policy.maxMs);
}

/** When to stop trying: by policy, after a time, or because either signal is aborted. */
export interface RetryOptions {
  readonly policy: RetryPolicy;
  /** For one attempt. */
  readonly timeoutMs: number;
  /** For all attempts and the waits between them; `timeoutMs` unless given. */
  readonly deadlineMs?: number | undefined;
  readonly signal: AbortSignal;
  readonly paused: AbortSignal;
}

/**
 * Tries until an attempt is done, the attempts that count are used up, or the next would start after the deadline. An
 * attempt that is late is made once more; with the same time again where one attempt may take all the time there is, as
 * one connection that hangs would else lose the call. Rejects with an `AbortError` when a wait is given up.
 */
export async function retrying<Outcome>(
  tryOnce: (attemptMs: number, remainingMs: number) => Promise<Attempt<Outcome>>,
  { policy, timeoutMs, deadlineMs = timeoutMs, signal, paused }: RetryOptions,
): Promise<Outcome> {
  let deadline = performance.now() + deadlineMs;
  let counted = 0;
  let late = false;
  for (let attempt = 0; ; attempt++) {
    // A wait may end a little late.
    const remainingMs = Math.max(1, deadline - performance.now());
    const end = await tryOnce(Math.min(timeoutMs, remainingMs), remainingMs);
    if ('done' in end) return end.done;
    if ('late' in end) {
      // Timers may end a little early: an attempt that had all the time left was the last.
      if (late || (remainingMs <= timeoutMs && timeoutMs !== deadlineMs)) return end.late;
      if (timeoutMs === deadlineMs) deadline = performance.now() + deadlineMs;
      late = true;
      continue;
    }
    if (end.counts && ++counted >= policy.maxAttempts) return end.again;
    const delay = delayMs(policy, attempt, end.retryAfterMs);
    if (performance.now() + delay >= deadline) return end.again;
    await sleep(delay, undefined, { signal: AbortSignal.any([signal, paused]) });
  }
}
