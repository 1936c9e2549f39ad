import { type CallOutcome, saysAccountIsSpent } from '@data-designer/core';

/**
 * Whether a refusal of one request is one of all: a key that is not accepted, an account that does not pay, an address
 * that has moved. A 403 may be about what was asked, a 404 about what was asked for: those speak for themselves.
 */
export function refusesAll(outcome: CallOutcome): boolean {
  const { status, verdict } = outcome;
  if (status < 300) return false;
  return verdict === 'about-all' || status < 400 || status === 401 || saysAccountIsSpent(outcome);
}
