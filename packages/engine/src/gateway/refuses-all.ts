import type { CallOutcome } from '@data-designer/core';

/** What endpoints say when an account has no money or quota left (as NeMo Data Designer has it). */
const SPENT =
  /credit balance is too low|purchase credits|out of credits|not enough credits|insufficient credits|insufficient_quota|insufficient quota|quota exceeded/i;

/** A refusal is short; what is longer is not searched. */
const LONGEST = 20_000;

/** Whether the body of a refusal says that the account has nothing left, so that waiting does not help. */
export function saysQuotaIsSpent(body: string): boolean {
  return body.length <= LONGEST && SPENT.test(body);
}

/**
 * Whether a refusal of one request is one of all: a key that is not accepted, an account that does not pay. A 403 may be
 * about what was asked, a 404 about what was asked for: those speak for themselves.
 */
export function refusesAll({ status, body }: CallOutcome): boolean {
  return status === 401 || status === 402 || (status >= 400 && saysQuotaIsSpent(body));
}
