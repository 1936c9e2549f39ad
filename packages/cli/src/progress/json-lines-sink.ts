import { stringifyJson } from '@data-designer/core';
import type { RunEvent } from '@data-designer/engine';
import type { OpenProgressSink } from './progress-sink.ts';
import { Throttle } from './throttle.ts';

/** Writes every event as one line of JSON; of progress the first snapshot, one per interval, and the last. */
export function jsonLines<Event extends { readonly type: string }>(
  isProgress: (event: Event) => boolean,
): OpenProgressSink<Event> {
  return (output, everyMs) => {
    const progress = new Throttle<Event>(everyMs, 0);
    const print = (event: Event | undefined): void => {
      if (event) output.write(`${stringifyJson(event)}\n`);
    };
    return {
      show: (event) => {
        if (isProgress(event)) return print(progress.offer(event, performance.now()));
        if (event.type === 'run-end') print(progress.flush());
        print(event);
      },
      succeed: () => {},
      [Symbol.dispose]: () => print(progress.flush()),
    };
  };
}

/** Writes the events of a run as lines of JSON. */
export const jsonLinesSink = jsonLines<RunEvent>(({ type }) => type === 'progress');
