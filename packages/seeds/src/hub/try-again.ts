import { fetchReason, FetchRefusal } from '@data-designer/config';
import { DataDesignerError, isFailure, isRetryable } from '@data-designer/core';
import { type Attempt, retrying } from '@data-designer/gateway';

/** What errors name, and how to retry. */
export interface HubRetryOptions {
  /** The path of the seed. */
  readonly path: string;
  /** The address in messages. */
  readonly address: string;
  readonly signal: AbortSignal;
  /** The longest wait before the second attempt; it doubles with each. */
  readonly retryDelayMs: number;
}

type Outcome<Result> = { readonly result: Result } | { readonly failure: DataDesignerError };

const MAX_DELAY_MS = 30_000;
const MAX_ATTEMPTS = 4;

/** Runs `work`, and up to three times again after a retryable error; throws the last error. */
export async function tryAgain<Result>(work: () => Promise<Result>, trying: HubRetryOptions): Promise<Result> {
  const { signal, retryDelayMs } = trying;
  const policy = { baseMs: retryDelayMs, maxMs: MAX_DELAY_MS, maxAttempts: MAX_ATTEMPTS };
  const options = { policy, timeoutMs: Infinity, signal, paused: signal };
  const end = await retrying(() => attempt(work, trying), options);
  if ('failure' in end) throw end.failure;
  return end.result;
}

async function attempt<Result>(
  work: () => Promise<Result>,
  trying: HubRetryOptions,
): Promise<Attempt<Outcome<Result>>> {
  try {
    return { done: { result: await work() } };
  } catch (thrown) {
    const failure = failureOf(thrown, trying);
    if (trying.signal.aborted || !isRetryable(failure.code)) return { done: { failure } };
    const retryAfterMs = isFailure(failure, 'hub/unreachable') ? failure.data.retryAfterMs : undefined;
    return { again: { failure }, retryAfterMs, counts: true };
  }
}

/** An error of Node with a code comes from the connection. */
function failureOf(thrown: unknown, { path, address }: HubRetryOptions): DataDesignerError {
  if (thrown instanceof DataDesignerError) return thrown;
  if (!(thrown instanceof FetchRefusal) && !(thrown instanceof Error && 'code' in thrown))
    return DataDesignerError.fromUnknown(thrown);
  if (thrown instanceof FetchRefusal && !thrown.mayPass) {
    const remedy = 'Correct the endpoint, or use another one.';
    return new DataDesignerError('hub/refused', { path, reason: thrown.message, remedy }, { cause: thrown });
  }
  const reason = fetchReason(thrown);
  return new DataDesignerError('hub/unreachable', { address, reason, retryAfterMs: undefined }, { cause: thrown });
}
