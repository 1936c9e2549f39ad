import type { RunEvent } from '@data-designer/engine';

/** Shows the events of one run, or of a workflow. It is disposed of when the run is over, however the run ended. */
interface ProgressSink<Event = RunEvent> extends Disposable {
  readonly show: (event: Event) => void;
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
export type OpenProgressSink<Event = RunEvent> = (output: ProgressOutput, everyMs: number) => ProgressSink<Event>;

/** How events are described as text. */
export interface EventTexts<Event, Snapshot> {
  /** The progress that an event reports; undefined for other events. */
  readonly snapshotOf: (event: Event) => Snapshot | undefined;
  /** Another event as text; undefined if it is not shown. */
  readonly describe: (event: Event) => string | undefined;
  /** Progress as one line. */
  readonly describeProgress: (snapshot: Snapshot, options?: { readonly isLast?: boolean }) => string;
}

/** The ways to show events; each is loaded when it is chosen. */
export type ProgressSinks<Event> = Readonly<
  Record<'json-lines' | 'plain-lines' | 'terminal-panel', () => Promise<OpenProgressSink<Event>>>
>;
