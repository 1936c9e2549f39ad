import { type Address, type CallOutcome, DataDesignerError, type Gateway } from '@data-designer/core';
import { failed, type PreparedCall, type ToolOutcome } from './prepare-call.ts';
import { elapsedMsOf } from './tool-outcome.ts';

/** The address of one call, its number already taken, and how long it may take. */
export interface CallSlot extends Address {
  readonly timeoutMs: number;
}

/** Asks the gateway for a call. What the tool did wrong is an outcome; only a lost gateway or an abort is thrown. */
export async function executeCall(gateway: Gateway, prepared: PreparedCall, slot: CallSlot): Promise<ToolOutcome> {
  const { resource, body } = prepared;
  try {
    return outcomeOf(await gateway.call({ resource, path: 'tools/call', body, ...slot }));
  } catch (thrown) {
    if (thrown instanceof DataDesignerError && thrown.code.startsWith('tool/')) return failed(thrown.message);
    throw thrown;
  }
}

function outcomeOf(outcome: CallOutcome): ToolOutcome {
  const { status, body } = outcome;
  const elapsedMs = elapsedMsOf(outcome);
  if (status === 200) return { kind: 'answered', body, elapsedMs };
  const reason = body || `the tool provider answered ${status}`;
  return { ...failed(reason), ...(status === 504 ? { timedOut: true } : {}), elapsedMs };
}
