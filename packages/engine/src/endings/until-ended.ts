import { setTimeout as sleep } from 'node:timers/promises';
import { type DataDesignerError, NEVER, type StopSignals, untilStopped } from '@data-designer/core';
import type { RunGateway } from '@data-designer/gateway';
import type { RunEvent } from '../run-event.ts';
import { endOf, GRACE_MS, type RunEnding } from './run-ending.ts';

/** The gateway of a run, and how it is stopped. */
interface EndParts extends StopSignals {
  readonly gateway: RunGateway;
  readonly onEvent?: (event: RunEvent) => void;
  /** How long open groups may take after the gateway is drained; the grace time unless given. */
  readonly lateMs?: number;
}

/** A gateway without requests in flight has drained by then, so that there is nothing to wait for. */
const IDLE_MS = 100;

/**
 * Waits until the row groups are made. Once the run is to end, drains the gateway: open groups finish what is pending and
 * request nothing more. Throws `run/aborted` when `signal` is aborted, the gateway's failure where it is lost, and the
 * reason of the end where open groups exceed the grace time.
 */
export async function untilEnded(
  work: Promise<void>,
  ending: RunEnding,
  { gateway, signal, drain, onEvent, lateMs = GRACE_MS }: EndParts,
): Promise<void> {
  const late = Promise.withResolvers<never>();
  let isOver = false;
  const end = async (reason: DataDesignerError, graceMs: number): Promise<void> => {
    const drained = gateway.drain(graceMs).then(
      () => true,
      () => true,
    );
    const isIdle = await Promise.race([drained, sleep(IDLE_MS, false, { ref: false })]);
    if (!isIdle && !isOver) onEvent?.({ type: 'drain-start', graceMs, reason: endOf(reason) });
    await drained;
    await sleep(lateMs, undefined, { ref: false });
    late.reject(reason);
  };
  ending.watch({ spent: gateway.spent, drain, onEnd: (reason, graceMs) => void end(reason, graceMs) });
  const ended = untilStopped(work, { signal, drain: NEVER }, async () => {});
  await Promise.race([ended, gateway.lost, late.promise]).finally(() => (isOver = true));
}
