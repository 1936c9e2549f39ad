import type { CallOutcome } from '@data-designer/core';

/** The header under which the outcome of a tool call says how long it took, in whole milliseconds. */
const ELAPSED = 'elapsed-ms';

/**
 * A result of more characters is an error to the model: it would have to be kept in the journal, cross threads and stand
 * in a trace. What a model is shown of lesser ones is a matter of `max_result_chars`.
 */
const MOST_RESULT_CHARS = 32 * 1024 * 1024;

/** The outcome of a call as it is kept and given on: with the time it took, and without a result beyond all bounds. */
export function keptOutcome(outcome: CallOutcome, elapsedMs: number): CallOutcome {
  const headers = { ...outcome.headers, [ELAPSED]: String(Math.round(elapsedMs)) };
  const { length } = outcome.body;
  if (length <= MOST_RESULT_CHARS) return { ...outcome, headers };
  return {
    status: 502,
    headers,
    body: `its result is too large: ${length} characters, at most ${MOST_RESULT_CHARS} may come back`,
  };
}

/** How long a call took, in milliseconds, from its outcome: the same on a replay; undefined where it is not said. */
export function elapsedMsOf({ headers }: CallOutcome): number | undefined {
  const elapsed = headers[ELAPSED];
  return elapsed === undefined ? undefined : Number(elapsed);
}
