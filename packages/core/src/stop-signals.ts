import { DataDesignerError } from './errors.ts';

/** How a run is stopped from outside. */
export interface StopSignals {
  /** Stops at once; what was received is kept. */
  readonly signal: AbortSignal;
  /** Asks for nothing more, waits a while for the answers under way, then stops. */
  readonly drain: AbortSignal;
}

/** Throws `run/aborted` if a run is stopped before it begins. */
export function refuseStopped({ signal, drain }: StopSignals): void {
  const stopped = [signal, drain].find(({ aborted }) => aborted);
  if (stopped) throw stopFailure(stopped);
}

/** What a run that was stopped by a signal fails with: `run/aborted`. */
export function stopFailure({ reason }: AbortSignal): DataDesignerError {
  return new DataDesignerError('run/aborted', { reason: sayReason(reason) });
}

/** A signal that never comes. */
export const NEVER: AbortSignal = new AbortController().signal;

/** The work's end, or `run/aborted` when a signal says so; `onDrain` is awaited first where there is time for it. */
export async function untilStopped<T>(
  work: Promise<T>,
  { signal, drain }: StopSignals,
  onDrain: () => Promise<void>,
): Promise<T> {
  let draining: Promise<void> | undefined;
  const stopped = Promise.withResolvers<never>();
  const stop = (by: AbortSignal) => stopped.reject(stopFailure(by));
  const onAbort = () => stop(signal);
  const onDrainSignal = () => {
    draining = onDrain().finally(() => stop(drain));
    draining.catch(() => {});
  };
  // Once a drain has begun, work that fails because of it must not cut off the answers that are waited for.
  const kept = work.catch((failure: unknown) => {
    if (draining) return stopped.promise;
    throw failure;
  });
  if (signal.aborted) onAbort();
  else if (drain.aborted) onDrainSignal();
  signal.addEventListener('abort', onAbort, { once: true });
  drain.addEventListener('abort', onDrainSignal, { once: true });
  try {
    return await Promise.race([kept, stopped.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    drain.removeEventListener('abort', onDrainSignal);
  }
}

function sayReason(reason: unknown): string {
  return reason instanceof Error && reason.name !== 'AbortError' ? reason.message : 'by request';
}

/**
 * Work that is given up when a signal says so, a drain included: there is nothing yet to wait for. It has ended when
 * this ends, in whatever way; throws `run/aborted`.
 */
export async function stoppable<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  signals: StopSignals,
): Promise<Result> {
  const stop = new AbortController();
  const working = work(stop.signal);
  try {
    return await untilStopped(working, signals, () => Promise.resolve());
  } finally {
    stop.abort();
    await working.catch(() => {});
  }
}
