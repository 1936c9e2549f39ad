import util from 'node:util';
import type { ProgressSnapshot } from '@data-designer/engine';
import { textWidth, withoutControls } from '@data-designer/printing';
import { RUN_TEXTS } from './describe-event.ts';
import { type Emphasis, panelLines, type PanelSize } from './panel-lines.ts';
import type { EventTexts, OpenProgressSink, ProgressOutput } from './progress-sink.ts';
import { RateHistory } from './rate-history.ts';

const DEFAULT_SIZE = { columns: 80, rows: 24 };
/** Terminals that support these marks show the text between them in one step; others ignore them. */
const BEGIN_FRAME = '\u001b[?2026h';
const END_FRAME = '\u001b[?2026l';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

/** The lines of a panel for a size of the terminal. */
type DrawPanel = (size: PanelSize) => readonly string[];

/** How events are described and drawn. */
export interface PanelTexts<Event, Snapshot> extends EventTexts<Event, Snapshot> {
  /** Takes each snapshot, and returns how to draw it. */
  readonly openPanel: () => (snapshot: Snapshot) => DrawPanel;
}

/** Draws progress as a panel with the events above it; a run that fails leaves a last line of progress. */
export function terminalPanel<Event, Snapshot>(texts: PanelTexts<Event, Snapshot>): OpenProgressSink<Event> {
  return (output) => {
    const panel = new TerminalPanel(output);
    const drawn = texts.openPanel();
    const redraw = (): void => panel.redraw();
    output.on?.('resize', redraw);
    let last: Snapshot | undefined;
    return {
      show: (event) => {
        const snapshot = texts.snapshotOf(event);
        if (snapshot !== undefined) return panel.show(drawn((last = snapshot)));
        const text = texts.describe(event);
        if (text !== undefined) panel.print(text);
      },
      succeed: () => (last = undefined),
      [Symbol.dispose]: () => {
        output.off?.('resize', redraw);
        panel[Symbol.dispose]();
        if (last !== undefined) output.write(`${texts.describeProgress(last, { isLast: true })}\n`);
        last = undefined;
      },
    };
  };
}

/** Draws the progress of a run. */
export const terminalPanelSink = terminalPanel({
  ...RUN_TEXTS,
  openPanel: () => {
    const history = new RateHistory();
    return (snapshot: ProgressSnapshot) => {
      history.add(snapshot);
      return (size) => panelLines(snapshot, { ...size, sparkline: history.sparkline });
    };
  },
});

/**
 * A panel in the last lines of a terminal, redrawn in place; other text scrolls above it. The cursor is never hidden and
 * stays below the panel between frames, so the terminal remains usable however the process ends.
 */
export class TerminalPanel implements Disposable {
  readonly #terminal: ProgressOutput;
  /** Widths of the lines on the screen. */
  #drawn: readonly number[] = [];
  #panel: DrawPanel | undefined;

  constructor(terminal: ProgressOutput) {
    this.#terminal = terminal;
  }

  /** Redraws the panel. */
  show(panel: DrawPanel): void {
    this.#panel = panel;
    this.#draw();
  }

  /** Draws the panel again, for a new size of the terminal. */
  redraw(): void {
    if (this.#panel) this.#draw();
  }

  /** Writes text above the panel. */
  print(text: string): void {
    this.#draw(`${withoutControls(text)}\n`);
  }

  /** Removes the panel. */
  [Symbol.dispose](): void {
    this.#panel = undefined;
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

  #lines(size: PanelSize): readonly string[] {
    return this.#panel?.(size) ?? [];
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
