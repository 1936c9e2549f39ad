import { withoutControls } from '@data-designer/printing';
import { RUN_TEXTS } from './describe-event.ts';
import type { EventTexts, OpenProgressSink } from './progress-sink.ts';
import { Throttle } from './throttle.ts';

/** Writes events as lines of text, and a line of progress per interval; a run that fails ends with one more. */
export function plainLines<Event, Snapshot>(texts: EventTexts<Event, Snapshot>): OpenProgressSink<Event> {
  return (output, everyMs) => {
    const progress = new Throttle<Snapshot>(everyMs, performance.now() + everyMs);
    const print = (line: string): unknown => output.write(`${withoutControls(line)}\n`);
    return {
      show: (event) => {
        const snapshot = texts.snapshotOf(event);
        const text = snapshot === undefined ? texts.describe(event) : undefined;
        if (text !== undefined) print(text);
        const due = snapshot === undefined ? undefined : progress.offer(snapshot, performance.now());
        if (due !== undefined) print(texts.describeProgress(due));
      },
      succeed: () => void progress.flush(),
      [Symbol.dispose]: () => {
        const last = progress.flush();
        if (last !== undefined) print(texts.describeProgress(last, { isLast: true }));
      },
    };
  };
}

/** Writes the events of a run as lines of text. */
export const plainLinesSink = plainLines(RUN_TEXTS);
