import { DataDesignerError, type PaidTokens, type Tries } from '@data-designer/core';

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

/** The same failure, as one that every further call would meet. */
export function withForAll(
  { code, data, cause }: DataDesignerError,
  more: { readonly tries?: Tries; readonly downSeconds?: number } = {},
): DataDesignerError {
  return new DataDesignerError(code, { ...(data as object), forAll: true, ...more } as never, { cause });
}
