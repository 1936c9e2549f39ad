import type { CallOutcome, ToolFailureKind } from '@data-designer/core';
import { isFailureKind } from './tool-failure-reason.ts';

/** The header of an outcome with the time of the call in whole milliseconds. */
const ELAPSED = 'elapsed-ms';
/** The header of a failed outcome with the kind of the failure. */
const FAILURE = 'tool-failure';

/**
 * A result of more characters becomes an error: it would fill the journal, the channel between threads and the trace.
 * `max_result_chars` limits what a model sees of a shorter one.
 */
const MOST_RESULT_CHARS = 32 * 1024 * 1024;

/** The outcome of a call for the journal and the model: with its time, and without an oversized result. */
export function keptOutcome(outcome: CallOutcome, elapsedMs: number): CallOutcome {
  const headers = { ...outcome.headers, [ELAPSED]: String(Math.round(elapsedMs)) };
  const { length } = outcome.body;
  if (length <= MOST_RESULT_CHARS) return { ...outcome, headers };
  return {
    status: 502,
    headers: { ...headers, [FAILURE]: 'result' },
    body: `its result is too large: ${length} characters, at most ${MOST_RESULT_CHARS} may come back`,
  };
}

/** The time of a call in milliseconds, from its outcome, so that a replay gives the same; undefined if it is not recorded. */
export function elapsedMsOf({ headers }: CallOutcome): number | undefined {
  const elapsed = headers[ELAPSED];
  return elapsed === undefined ? undefined : Number(elapsed);
}

/** The outcome of a call that failed: 504 for a timeout, else 502. */
export function failedCallOutcome(kind: ToolFailureKind, reason: string): CallOutcome {
  if (kind === 'timeout') return { status: 504, headers: {}, body: reason };
  return { status: 502, headers: kind === 'server' ? {} : { [FAILURE]: kind }, body: reason };
}

/** How a call failed, from its outcome. */
export function failureKindOf({ status, headers }: CallOutcome): ToolFailureKind {
  const kind = headers[FAILURE];
  if (kind !== undefined && isFailureKind(kind)) return kind;
  return status === 504 ? 'timeout' : 'server';
}
