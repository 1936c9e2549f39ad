import { type Address, type CallOutcome, type CallPath, type Gateway, limitsOf } from '@data-designer/core';
import type { Meter } from './model-client.ts';
import { type Asked, failureOfOutcome } from './answers/failure-of-outcome.ts';

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
  const { resource, at, meter } = target;
  const { row, column, call } = at;
  const outcome = await gateway.call({ resource, path, body, ...limitsOf(target), row, column, call });
  meter?.onOutcome(outcome);
  const { status, verdict } = outcome;
  const isUsable = status >= 200 && status < 300 && verdict !== 'unusable' && verdict !== 'no-choice';
  if (!isUsable) throw failureOfOutcome(outcome, target);
  return outcome;
}
