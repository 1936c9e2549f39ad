import { DataDesignerError } from './errors.ts';

/** The signals that stop a run. */
export interface StopSignals {
  /** Stops at once; received answers are saved. */
  readonly signal: AbortSignal;
  /** Sends no more requests, waits for pending answers up to the grace time, then stops. */
  readonly drain: AbortSignal;
}

/** Throws `run/aborted` if a run is stopped before it begins. */
export function refuseStopped({ signal, drain }: StopSignals): void {
  const stopped = [signal, drain].find(({ aborted }) => aborted);
  if (stopped) throw stopFailure(stopped);
}

/** The failure of a run that a signal stopped: `run/aborted`. */
export function stopFailure({ reason }: AbortSignal): DataDesignerError {
  return new DataDesignerError('run/aborted', { reason: sayReason(reason) });
}

/** A signal that is never aborted. */
export const NEVER: AbortSignal = new AbortController().signal;

/** Waits for the work, or throws `run/aborted` on a signal; a drain awaits `onDrain` first. */
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
  // During a drain a failure of the work must not end the wait for pending answers.
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
  return reason instanceof Error && reason.name !== 'AbortError' ? reason.message : 'the program requested it';
}

/**
 * Runs work that either signal aborts at once, because nothing needs draining yet. The work has ended when this settles.
 * Throws `run/aborted`.
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
