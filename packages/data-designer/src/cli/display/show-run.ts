import type { RunConfig } from '@data-designer/config';
import { stringifyJson } from '@data-designer/core';
import type { ProgressSnapshot, RunEvent } from '@data-designer/engine';
import type { DisplayFlags } from '../flags/display-flags.ts';
import { sayEvent } from './describe-event.ts';
import { sayProgress } from './describe-progress.ts';
import { TerminalPanel } from './terminal-panel.ts';
import { Thinned } from './throttle.ts';
import { wantsPanel } from './wants-panel.ts';

type Take = (event: RunEvent) => void;

/** Somebody who shows a run on standard error, until it is over. */
interface Display extends Disposable {
  readonly take: Take;
  /** The run came to its end: what it made is told by others. */
  readonly finish: () => void;
}

/**
 * Does the work of a run and shows it on standard error meanwhile: as JSON lines, as a panel on a terminal, else as lines
 * of text.
 */
export async function showRun<Result>(
  { json, tui }: DisplayFlags,
  { displayTui = null, progressInterval = 5 }: Partial<RunConfig>,
  work: (onEvent: Take) => Promise<Result>,
): Promise<Result> {
  const everyMs = progressInterval * 1000;
  const panel = wantsPanel({ tui, displayTui }, { isTTY: process.stderr.isTTY, term: process.env['TERM'] });
  using display = json ? jsonLines(everyMs) : panel ? panelAndLines() : plainLines(everyMs);
  const result = await work(display.take);
  display.finish();
  return result;
}

/** All events, one JSON object a line: of progress the first, one in each span of time, and the last. */
function jsonLines(everyMs: number): Display {
  const progress = new Thinned<RunEvent>(everyMs, 0);
  return {
    take: (event) => {
      if (event.type === 'progress') return printJsonLine(progress.take(event, performance.now()));
      if (event.type === 'run-end') printJsonLine(progress.rest());
      printJsonLine(event);
    },
    finish: () => {},
    [Symbol.dispose]: () => printJsonLine(progress.rest()),
  };
}

/** Events as they come, and a line of progress now and then; where the run did not come to its end, a last one. */
function plainLines(everyMs: number): Display {
  const progress = new Thinned<ProgressSnapshot>(everyMs, performance.now() + everyMs);
  return {
    take: (event) => {
      if (event.type === 'progress') return printProgress(progress.take(event.snapshot, performance.now()));
      printLine(sayEvent(event));
    },
    finish: () => void progress.rest(),
    [Symbol.dispose]: () => printProgress(progress.rest(), { isLast: true }),
  };
}

/** A panel with the events above it; where the run did not come to its end, a last line of progress stays. */
function panelAndLines(): Display {
  const panel = new TerminalPanel(process.stderr);
  let last: ProgressSnapshot | undefined;
  return {
    take: (event) => {
      if (event.type === 'progress') return panel.show((last = event.snapshot));
      panel.print(sayEvent(event));
    },
    finish: () => (last = undefined),
    [Symbol.dispose]: () => {
      panel[Symbol.dispose]();
      printProgress(last, { isLast: true });
    },
  };
}

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

function printProgress(snapshot: ProgressSnapshot | undefined, { isLast = false } = {}): void {
  if (snapshot) printLine(sayProgress(snapshot, { isLast }));
}

function printJsonLine(event: RunEvent | undefined): void {
  if (event) printLine(stringifyJson(event));
}
