import type { RunEvent } from '@data-designer/engine';

/** Shows the events of one run. It is disposed of when the run is over, however the run ended. */
export interface ProgressSink extends Disposable {
  readonly show: (event: RunEvent) => void;
  /** The run succeeded: the command prints its result, so no last line of progress is needed. */
  readonly succeed: () => void;
}

/** The stream that a sink writes to; `process.stderr` is one. Its size is read at each frame, as it may change. */
export interface ProgressOutput {
  readonly columns?: number;
  readonly rows?: number;
  readonly hasColors?: (count: number) => boolean;
  /** Listens for a change of the size. */
  readonly on?: (event: 'resize', listener: () => void) => unknown;
  readonly off?: (event: 'resize', listener: () => void) => unknown;
  readonly write: (text: string) => unknown;
}

/** Opens a sink; progress is shown at most once per `everyMs` where it is not drawn in place. */
export type OpenProgressSink = (output: ProgressOutput, everyMs: number) => ProgressSink;
