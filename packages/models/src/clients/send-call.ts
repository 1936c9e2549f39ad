import type { Address, CallOutcome, CallPath, Gateway } from '@data-designer/core';
import type { Meter } from '../model-client.ts';
import { type Asked, failureOfOutcome } from './failure-of-outcome.ts';

/** Where a request goes, in whose name, and who counts it. */
export interface CallTarget extends Asked {
  readonly resource: string;
  readonly at: Address;
  readonly meter?: Meter | undefined;
}

/** Sends JSON text to a model; gives its outcome if that is a success, else throws the `model/*` failure it means. */
export async function sendCall(
  gateway: Gateway,
  path: CallPath,
  { body, target }: { readonly body: string; readonly target: CallTarget },
): Promise<CallOutcome> {
  const { resource, timeoutMs, at, meter } = target;
  const { row, column, call } = at;
  const outcome = await gateway.call({ resource, path, body, timeoutMs, row, column, call });
  meter?.onOutcome(outcome);
  if (outcome.status < 200 || outcome.status >= 300) throw failureOfOutcome(outcome, target);
  return outcome;
}
