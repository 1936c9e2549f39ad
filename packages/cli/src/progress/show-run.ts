import type { RunSettings } from '@data-designer/config';
import type { RunEvent } from '@data-designer/engine';
import type { DisplayFlags } from '../flags/common-flags.ts';
import type { ProgressOutput, ProgressSinks } from './progress-sink.ts';

/** The ways to show a run. */
export const PROGRESS_SINKS: ProgressSinks<RunEvent> = {
  'json-lines': async () => (await import('./json-lines-sink.ts')).jsonLinesSink,
  'plain-lines': async () => (await import('./plain-lines-sink.ts')).plainLinesSink,
  'terminal-panel': async () => (await import('./terminal-panel.ts')).terminalPanelSink,
};

/** How to show a run. */
export interface ShowOptions extends DisplayFlags {
  /** Aborted when the process is about to exit: the display ends first. */
  readonly exits?: AbortSignal;
}

/** Runs `work` and shows its events on standard error until it is over. */
export function showRun<Result>(
  flags: ShowOptions,
  runConfig: RunSettings,
  work: (onEvent: (event: RunEvent) => void) => Promise<Result>,
): Promise<Result> {
  return showEvents({ ...flags, sinks: PROGRESS_SINKS }, runConfig, work);
}

/** Runs `work` and shows its events in one of the ways of `sinks`, until it is over. */
export async function showEvents<Event, Result>(
  { exits, sinks, ...flags }: ShowOptions & { readonly sinks: ProgressSinks<Event> },
  { displayTui = null, progressInterval = 5 }: RunSettings,
  work: (onEvent: (event: Event) => void) => Promise<Result>,
): Promise<Result> {
  const terminal = { isTTY: process.stderr.isTTY, term: process.env['TERM'] };
  const openSink = await sinks[chooseSink({ ...flags, displayTui }, terminal)]();
  using sink = openSink(
    flags.color === false ? withoutColors(process.stderr) : process.stderr,
    progressInterval * 1000,
  );
  exits?.addEventListener('abort', () => sink[Symbol.dispose]());
  const result = await work(sink.show);
  sink.succeed();
  return result;
}

/** JSON lines with `--json`; else a panel if standard error is a terminal that can draw one, unless flag or settings say no. */
export function chooseSink(
  { json, tui, displayTui }: DisplayFlags & { readonly displayTui: boolean | null },
  { isTTY, term }: { readonly isTTY: boolean | undefined; readonly term: string | undefined },
): keyof ProgressSinks<unknown> {
  if (json) return 'json-lines';
  const isPanel = (tui ?? displayTui ?? true) && isTTY === true && term !== 'dumb';
  return isPanel ? 'terminal-panel' : 'plain-lines';
}

function withoutColors(stream: ProgressOutput): ProgressOutput {
  return {
    get columns() {
      return stream.columns ?? 0;
    },
    get rows() {
      return stream.rows ?? 0;
    },
    hasColors: () => false,
    on: (event, listener) => stream.on?.(event, listener),
    off: (event, listener) => stream.off?.(event, listener),
    write: (text) => stream.write(text),
  };
}
