import { DataDesignerError, type FailureCode, type Tries } from '@data-designer/core';
import type { Meter, Spent, TokenCounts } from './model-client.ts';
import { countRequests, countTokens, type ModelCounts, triesOf } from './usage.ts';

/**
 * Makes one request and counts it, whether its answer can be used or not. `reasoningOf` gives the text of an answer's
 * reasoning.
 */
export async function countedRequest<Answer>(
  counts: ModelCounts,
  send: (meter: Meter) => Promise<Answer>,
  reasoningOf?: (answer: Answer) => string | undefined,
): Promise<Answer> {
  let tries: Tries | undefined;
  let spent: Spent | undefined;
  const meter: Meter = {
    onOutcome: (outcome) => {
      tries = triesOf(outcome);
    },
    onSpent: (told) => {
      spent = told;
    },
  };
  try {
    const answer = await send(meter);
    countRequests(counts, tries ?? ONE, true);
    countTokens(counts, spent?.tokens ?? NOT_TOLD, reasoningOf?.(answer));
    return answer;
  } catch (thrown) {
    const sent = tries ?? triesOfFailure(DataDesignerError.fromUnknown(thrown));
    if (sent) countRequests(counts, sent, false);
    if (spent && isTold(spent)) countTokens(counts, spent.tokens, undefined);
    throw thrown;
  } finally {
    counts.pictures += spent?.pictures ?? 0;
  }
}

const ONE: Tries = { requests: 1, refused: 0, possiblyPaid: 0 };
const NOT_TOLD: TokenCounts = { input: null, cachedInput: null, output: null, reasoning: null };

function isTold({ tokens: { input, output } }: Spent): boolean {
  return input !== null || output !== null;
}

/** Failures by which the gateway gives up requests that were sent. */
const SENT: ReadonlySet<FailureCode> = new Set(['model/timed-out', 'model/unreachable', 'model/answer-too-long']);

/** What stands behind a failure of the gateway itself; nothing where no request was sent. */
function triesOfFailure({ code, data }: DataDesignerError): Tries | undefined {
  const { tries } = data as { readonly tries?: Tries };
  if (tries || !SENT.has(code)) return tries;
  return { ...ONE, possiblyPaid: code === 'model/unreachable' ? 0 : 1 };
}
