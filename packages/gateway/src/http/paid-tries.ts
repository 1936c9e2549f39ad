import { DataDesignerError, type PaidTokens, type Tries } from '@data-designer/core';
import type { JournalRecord } from '@data-designer/dataset/journal';
import { tokensOfAnswer } from '../admission/answer-cost.ts';

/** The tries of a call that took one request. */
export const ONE_REQUEST: Tries = { requests: 1, refused: 0, possiblyPaid: 0 };
/** The tries of a call for which no request was made. */
export const NO_REQUEST: Tries = { requests: 0, refused: 0, possiblyPaid: 0 };

/** The sum of the tokens of several answers. */
export function addTokens(sum: PaidTokens | undefined, more: PaidTokens): PaidTokens {
  if (!sum) return more;
  return {
    input: sum.input + more.input,
    cachedInput: sum.cachedInput + more.cachedInput,
    output: sum.output + more.output,
  };
}

/** Adds to the tries of a call an answer without a usable choice that version 0.1 journaled at its address. */
export function withPaid(tries: Tries = ONE_REQUEST, { body, tries: before = ONE_REQUEST }: JournalRecord): Tries {
  const tokens = tokensOfAnswer(body);
  const spent = [tries.spent, before.spent, tokens].reduce<PaidTokens | undefined>(
    (sum, more) => (more ? addTokens(sum, more) : sum),
    undefined,
  );
  return {
    requests: tries.requests + before.requests,
    refused: tries.refused + before.refused,
    possiblyPaid: tries.possiblyPaid + before.possiblyPaid + (tokens ? 0 : 1),
    ...(spent ? { spent } : {}),
  };
}

/** As `withPaid`, for a call that failed. */
export function failureWithPaid(thrown: unknown, before: JournalRecord): unknown {
  if (!(thrown instanceof DataDesignerError)) return thrown;
  const { code, data, cause } = thrown;
  const told = data as { readonly tries?: Tries };
  if (!told.tries) return thrown;
  return new DataDesignerError(code, { ...told, tries: withPaid(told.tries, before) }, { cause });
}

/** The same failure, as one that every further call would meet. */
export function withForAll(
  { code, data, cause }: DataDesignerError,
  more: { readonly tries?: Tries; readonly downSeconds?: number } = {},
): DataDesignerError {
  return new DataDesignerError(code, { ...(data as object), forAll: true, ...more } as never, { cause });
}
