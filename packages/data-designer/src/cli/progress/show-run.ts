import type { RunConfig } from '@data-designer/config';
import type { RunEvent } from '@data-designer/engine';
import type { DisplayFlags } from '../flags/common-flags.ts';
import { jsonLinesSink } from './json-lines-sink.ts';
import { plainLinesSink } from './plain-lines-sink.ts';
import type { OpenProgressSink } from './progress-sink.ts';
import { terminalPanelSink } from './terminal-panel.ts';

/** The ways to show a run. */
export const PROGRESS_SINKS = {
  'json-lines': jsonLinesSink,
  'plain-lines': plainLinesSink,
  'terminal-panel': terminalPanelSink,
} as const satisfies Readonly<Record<string, OpenProgressSink>>;

/** Runs `work` and shows its events on standard error until it is over. */
export async function showRun<Result>(
  flags: DisplayFlags,
  { displayTui = null, progressInterval = 5 }: Partial<RunConfig>,
  work: (onEvent: (event: RunEvent) => void) => Promise<Result>,
): Promise<Result> {
  const terminal = { isTTY: process.stderr.isTTY, term: process.env['TERM'] };
  const openSink = PROGRESS_SINKS[chooseSink({ ...flags, displayTui }, terminal)];
  using sink = openSink(process.stderr, progressInterval * 1000);
  const result = await work(sink.show);
  sink.succeed();
  return result;
}

/** JSON lines with `--json`; else a panel if standard error is a terminal that can draw one, unless flag or settings say no. */
export function chooseSink(
  { json, tui, displayTui }: DisplayFlags & { readonly displayTui: boolean | null },
  { isTTY, term }: { readonly isTTY: boolean | undefined; readonly term: string | undefined },
): keyof typeof PROGRESS_SINKS {
  if (json) return 'json-lines';
  const isPanel = (tui ?? displayTui ?? true) && isTTY === true && term !== 'dumb';
  return isPanel ? 'terminal-panel' : 'plain-lines';
}
