import { DataDesignerError, type FailureCode, type Tries } from '@data-designer/core';
import type { OnOutcome, TokenCounts } from './model-client.ts';
import { countRequests, countTokens, type ModelCounts, triesOf } from './usage.ts';

/** Makes one request and counts it, whether it is answered or not. `reasoningOf` gives the text of its reasoning. */
export async function countedRequest<Answer extends { readonly tokens: TokenCounts }>(
  counts: ModelCounts,
  send: (onOutcome: OnOutcome) => Promise<Answer>,
  reasoningOf?: (answer: Answer) => string | undefined,
): Promise<Answer> {
  let tries: Tries | undefined;
  try {
    const answer = await send((outcome) => {
      tries = triesOf(outcome);
    });
    countRequests(counts, tries ?? ONE, true);
    countTokens(counts, answer.tokens, reasoningOf?.(answer));
    return answer;
  } catch (thrown) {
    const sent = tries ?? triesOfFailure(DataDesignerError.fromUnknown(thrown));
    if (sent) countRequests(counts, sent, false);
    throw thrown;
  }
}

const ONE: Tries = { requests: 1, refused: 0, possiblyPaid: 0 };

/** Failures by which the gateway gives up requests that were sent. */
const SENT: ReadonlySet<FailureCode> = new Set(['model/timed-out', 'model/unreachable']);

/** What stands behind a failure of the gateway itself; nothing where no request was sent. */
function triesOfFailure({ code, data }: DataDesignerError): Tries | undefined {
  const { tries } = data as { readonly tries?: Tries };
  if (tries || !SENT.has(code)) return tries;
  return { ...ONE, possiblyPaid: code === 'model/timed-out' ? 1 : 0 };
}
