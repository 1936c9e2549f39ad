import { setTimeout as sleep } from 'node:timers/promises';
import { type DataDesignerError, NEVER, type StopSignals, untilStopped } from '@data-designer/core';
import type { RunGateway } from '@data-designer/gateway';
import type { RunEvent } from '../run-event.ts';
import { endOf, GRACE_MS, type RunEnding } from './run-ending.ts';

/** What the work of a run goes through, and how it is stopped. */
interface EndParts extends StopSignals {
  readonly gateway: RunGateway;
  readonly onEvent?: (event: RunEvent) => void;
}

/**
 * The end of the work that makes row groups. Once the run is to end nothing more is asked, and the groups that are open
 * come to an end of their own. Throws `run/aborted` when `signal` is, what the gateway is lost of, and the reason of the
 * end where groups take too long over it.
 */
export async function untilEnded(
  work: Promise<void>,
  ending: RunEnding,
  { gateway, signal, drain, onEvent }: EndParts,
): Promise<void> {
  const late = Promise.withResolvers<never>();
  const end = async (reason: DataDesignerError): Promise<void> => {
    onEvent?.({ type: 'drain-start', graceMs: GRACE_MS, reason: endOf(reason) });
    await gateway.drain(GRACE_MS).catch(() => {});
    await sleep(GRACE_MS, undefined, { ref: false });
    late.reject(reason);
  };
  ending.watch({ spent: gateway.spent, drain, onEnd: (reason) => void end(reason) });
  const ended = untilStopped(work, { signal, drain: NEVER }, async () => {});
  await Promise.race([ended, gateway.lost, late.promise]);
}
