import { type StopSignals, untilStopped } from './stop-signals.ts';

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
