import type { ProgressSnapshot } from '@data-designer/engine';
import { withoutControls } from '../../printing/fit-text.ts';
import { describeEvent } from './describe-event.ts';
import { describeProgress } from './describe-progress.ts';
import type { ProgressOutput, ProgressSink } from './progress-sink.ts';
import { Throttle } from './throttle.ts';

/** Writes events as lines of text, and a line of progress per interval; a run that fails ends with one more. */
export function plainLinesSink(output: ProgressOutput, everyMs: number): ProgressSink {
  const progress = new Throttle<ProgressSnapshot>(everyMs, performance.now() + everyMs);
  const print = (line: string): unknown => output.write(`${withoutControls(line)}\n`);
  return {
    show: (event) => {
      if (event.type !== 'progress') return void print(describeEvent(event));
      const due = progress.offer(event.snapshot, performance.now());
      if (due) print(describeProgress(due));
    },
    succeed: () => void progress.flush(),
    [Symbol.dispose]: () => {
      const last = progress.flush();
      if (last) print(describeProgress(last, { isLast: true }));
    },
  };
}
