import {
  type CallOutcome,
  DataDesignerError,
  type FailureCode,
  type TokenCounts,
  type Tries,
} from '@data-designer/core';
import type { Meter, AnswerUsage } from './model-client.ts';
import { countRequests, countTokens, type ModelCounts, triesOf } from './usage.ts';

/** An answer with its tokens and its outcome. */
interface CountedAnswer<Answer> {
  readonly answer: Answer;
  readonly tokens: TokenCounts;
  readonly outcome: CallOutcome | undefined;
  /** Whether characters of the request were replaced. */
  readonly isMended: boolean;
}

/** Makes one request and counts it, also where its answer cannot be used. `reasoningOf` gives the text of its reasoning. */
export async function countedRequest<Answer>(
  counts: ModelCounts,
  send: (meter: Meter) => Promise<Answer>,
  reasoningOf?: (answer: Answer) => string | undefined,
): Promise<CountedAnswer<Answer>> {
  let outcome: CallOutcome | undefined;
  let tries: Tries | undefined;
  let isMended = false;
  let spent: AnswerUsage | undefined;
  const meter: Meter = {
    onOutcome: (came) => {
      outcome = came;
      tries = triesOf(came);
    },
    onMended: () => {
      isMended = true;
    },
    onSpent: (reported) => {
      spent = reported;
    },
  };
  try {
    const answer = await send(meter);
    countRequests(counts, tries ?? ONE, true);
    const tokens = spent?.tokens ?? NOT_REPORTED;
    countTokens(counts, tokens, reasoningOf?.(answer));
    return { answer, tokens, outcome, isMended };
  } catch (thrown) {
    const sent = tries ?? triesOfFailure(DataDesignerError.fromUnknown(thrown));
    if (sent) countRequests(counts, sent, false);
    if (spent && isReported(spent)) countTokens(counts, spent.tokens, undefined);
    throw thrown;
  } finally {
    counts.pictures += spent?.pictures ?? 0;
  }
}

const ONE: Tries = { requests: 1, refused: 0, possiblyPaid: 0 };
const NOT_REPORTED: TokenCounts = { input: null, cachedInput: null, output: null, reasoning: null };

function isReported({ tokens: { input, output } }: AnswerUsage): boolean {
  return input !== null || output !== null;
}

/** Failures with which the gateway gives up requests that it sent. */
const SENT: ReadonlySet<FailureCode> = new Set(['model/timed-out', 'model/unreachable', 'model/answer-too-long']);

/** The requests behind a failure of the gateway itself; undefined if none was sent. */
function triesOfFailure({ code, data }: DataDesignerError): Tries | undefined {
  const { tries }: { readonly tries?: Tries } = Object(data);
  if (tries || !SENT.has(code)) return tries;
  return { ...ONE, possiblyPaid: code === 'model/unreachable' ? 0 : 1 };
}
