import type { RunEvent } from '../run-event.ts';
import type { RunProgress } from './run-progress.ts';

/** Ten times a second at most: more often than anybody reads it. */
const REPORT_EVERY_MS = 100;
/** Time and rates change while nothing happens too. */
const REPORT_IDLE_EVERY_MS = 1000;
/** Counting thousands of open row groups takes long: the pause between reports is this many times as long, up to a second. */
const PAUSE_PER_WORK = 20;

/** Reports a run's progress, and once per column an answer that was cut off, until disposed; `onEvent` must not throw. */
export function reportProgress(progress: RunProgress, onEvent: (event: RunEvent) => void): Disposable {
  const warned = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let reportedChanges = 0;
  let reportedAt = 0;
  let tookMs = 0;
  const report = (): void => {
    reportedChanges = progress.changes;
    reportedAt = performance.now();
    const snapshot = progress.snapshot();
    onEvent({ type: 'progress', snapshot });
    for (const { column, cut } of snapshot.flaws) {
      if (cut === 0 || warned.has(column)) continue;
      warned.add(column);
      onEvent({ type: 'answer-cut', column });
    }
  };
  const check = (): void => {
    const startedAt = performance.now();
    if (progress.changes !== reportedChanges || startedAt - reportedAt >= REPORT_IDLE_EVERY_MS) report();
    const before = tookMs;
    tookMs = performance.now() - startedAt;
    // One report may take long by chance: the pause follows the shorter of two.
    const pauseMs = Math.min(
      Math.max(REPORT_EVERY_MS, Math.min(tookMs, before) * PAUSE_PER_WORK),
      REPORT_IDLE_EVERY_MS,
    );
    timer = setTimeout(check, pauseMs).unref();
  };
  progress.begin();
  report();
  timer = setTimeout(check, REPORT_EVERY_MS).unref();
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      progress.end();
      report();
    },
  };
}
