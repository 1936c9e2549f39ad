import type { ProgressSnapshot } from './progress-snapshot.ts';
import type { RunProgress } from './run-progress.ts';

/** Ten times a second at most: as often as an eye wants to know. */
const TELL_EVERY_MS = 100;
/** Time and rates change also while nothing happens. */
const TELL_QUIETLY_EVERY_MS = 1000;
/** To count thousands of open row groups takes a while: the pauses are so many times as long, up to a second. */
const PAUSE_PER_WORK = 20;

/** Has told how far a run has come, from its begin until what is given back is disposed of; `tell` must not throw. */
export function reportProgress(progress: RunProgress, tell: (snapshot: ProgressSnapshot) => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  let seen = 0;
  let toldAt = 0;
  let tookMs = 0;
  const say = (): void => {
    seen = progress.changes;
    toldAt = performance.now();
    tell(progress.snapshot());
  };
  const look = (): void => {
    const began = performance.now();
    if (progress.changes !== seen || began - toldAt >= TELL_QUIETLY_EVERY_MS) say();
    const before = tookMs;
    tookMs = performance.now() - began;
    // One look may take long by chance, as the first: the pause goes by the shorter of two.
    const pauseMs = Math.min(Math.max(TELL_EVERY_MS, Math.min(tookMs, before) * PAUSE_PER_WORK), TELL_QUIETLY_EVERY_MS);
    timer = setTimeout(look, pauseMs).unref();
  };
  progress.begin();
  say();
  timer = setTimeout(look, TELL_EVERY_MS).unref();
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      progress.end();
      say();
    },
  };
}
