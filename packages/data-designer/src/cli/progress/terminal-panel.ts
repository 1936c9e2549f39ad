import util from 'node:util';
import type { ProgressSnapshot } from '@data-designer/engine';
import { textWidth, withoutControls } from '../../printing/fit-text.ts';
import { describeEvent } from './describe-event.ts';
import { describeProgress } from './describe-progress.ts';
import { type Emphasis, panelLines } from './panel-lines.ts';
import type { ProgressOutput, ProgressSink } from './progress-sink.ts';
import { RateHistory } from './rate-history.ts';

const DEFAULT_SIZE = { columns: 80, rows: 24 };
/** Terminals that support these marks show the text between them in one step; others ignore them. */
const BEGIN_FRAME = '\u001b[?2026h';
const END_FRAME = '\u001b[?2026l';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

/** Draws progress as a panel with the events above it; a run that fails leaves a last line of progress. */
export function terminalPanelSink(output: ProgressOutput): ProgressSink {
  const panel = new TerminalPanel(output);
  const redraw = (): void => panel.redraw();
  output.on?.('resize', redraw);
  let last: ProgressSnapshot | undefined;
  return {
    show: (event) => {
      if (event.type === 'progress') panel.show((last = event.snapshot));
      else panel.print(describeEvent(event));
    },
    succeed: () => (last = undefined),
    [Symbol.dispose]: () => {
      output.off?.('resize', redraw);
      panel[Symbol.dispose]();
      if (last) output.write(`${describeProgress(last, { isLast: true })}\n`);
      last = undefined;
    },
  };
}

/**
 * A panel in the last lines of a terminal, redrawn in place; other text scrolls above it. The cursor is never hidden and
 * stays below the panel between frames, so the terminal remains usable however the process ends.
 */
export class TerminalPanel implements Disposable {
  readonly #terminal: ProgressOutput;
  /** Widths of the lines on the screen. */
  #drawn: readonly number[] = [];
  readonly #history = new RateHistory();
  #snapshot: ProgressSnapshot | undefined;

  constructor(terminal: ProgressOutput) {
    this.#terminal = terminal;
  }

  /** Redraws the panel. */
  show(snapshot: ProgressSnapshot): void {
    this.#snapshot = snapshot;
    this.#history.add(snapshot);
    this.#draw();
  }

  /** Draws the panel again, for a new size of the terminal. */
  redraw(): void {
    if (this.#snapshot) this.#draw();
  }

  /** Writes text above the panel. */
  print(text: string): void {
    this.#draw(`${withoutControls(text)}\n`);
  }

  /** Removes the panel. */
  [Symbol.dispose](): void {
    this.#snapshot = undefined;
    if (this.#drawn.length > 0) this.#draw();
  }

  #draw(above = ''): void {
    const { columns, rows } = this.#size();
    const plain = this.#lines({ columns: columns - 1, lines: rows - 1 });
    const hasColors = this.#terminal.hasColors?.(16) ?? false;
    const lines = hasColors ? this.#lines({ columns: columns - 1, lines: rows - 1, paint }) : plain;
    const cleared = above === '' ? '' : `${CLEAR_BELOW}${above}`;
    const panel = lines.map((line) => `${line}${CLEAR_LINE}\n`).join('');
    this.#terminal.write(`${BEGIN_FRAME}${this.#moveToTop(columns)}${cleared}${panel}${CLEAR_BELOW}${END_FRAME}`);
    this.#drawn = plain.map(textWidth);
  }

  #lines(size: Parameters<typeof panelLines>[1]): readonly string[] {
    return this.#snapshot ? panelLines(this.#snapshot, { ...size, sparkline: this.#history.sparkline }) : [];
  }

  /** Moves to the panel's first line; a terminal that became narrower has wrapped its lines. */
  #moveToTop(columns: number): string {
    const up = this.#drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return up > 0 ? `\r\u001b[${up}A` : '\r';
  }

  #size(): { readonly columns: number; readonly rows: number } {
    const { columns, rows } = this.#terminal;
    return { columns: Math.max(2, columns || DEFAULT_SIZE.columns), rows: Math.max(2, rows || DEFAULT_SIZE.rows) };
  }
}

function paint(emphasis: Emphasis, piece: string): string {
  return emphasis === 'plain' ? piece : util.styleText(emphasis, piece, { validateStream: false });
}
