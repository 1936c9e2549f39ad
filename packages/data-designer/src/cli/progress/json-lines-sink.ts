import { stringifyJson } from '@data-designer/core';
import type { RunEvent } from '@data-designer/engine';
import type { ProgressOutput, ProgressSink } from './progress-sink.ts';
import { Throttle } from './throttle.ts';

/** Writes every event as one line of JSON; of progress the first snapshot, one per interval, and the last. */
export function jsonLinesSink(output: ProgressOutput, everyMs: number): ProgressSink {
  const progress = new Throttle<RunEvent>(everyMs, 0);
  const print = (event: RunEvent | undefined): void => {
    if (event) output.write(`${stringifyJson(event)}\n`);
  };
  return {
    show: (event) => {
      if (event.type === 'progress') return print(progress.offer(event, performance.now()));
      if (event.type === 'run-end') print(progress.flush());
      print(event);
    },
    succeed: () => {},
    [Symbol.dispose]: () => print(progress.flush()),
  };
}
