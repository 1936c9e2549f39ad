import util from 'node:util';
import type { ProgressSnapshot } from '@data-designer/engine';
import { textWidth } from '../../printing/fit-text.ts';
import { type Emphasis, panelLines } from './panel-lines.ts';

/** A terminal to draw on; `process.stderr` is one. Its size is asked at each frame, as it may change. */
export interface Terminal {
  readonly columns?: number;
  readonly rows?: number;
  readonly hasColors?: (count: number) => boolean;
  readonly write: (text: string) => unknown;
}

const USUAL_SIZE = { columns: 80, rows: 24 };
/** Terminals that know these marks show what stands between them at once; others pass over them. */
const BEGIN_FRAME = '\u001b[?2026h';
const END_FRAME = '\u001b[?2026l';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

/**
 * A panel at the end of what stands on a terminal, drawn over in place; other text goes above it. The cursor is never
 * hidden and stands below the panel between frames, so that a process that ends in any way leaves a usable terminal.
 */
export class TerminalPanel implements Disposable {
  readonly #terminal: Terminal;
  /** Widths of the lines that stand there. */
  #drawn: readonly number[] = [];
  #snapshot: ProgressSnapshot | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Draws the panel anew. */
  show(snapshot: ProgressSnapshot): void {
    this.#snapshot = snapshot;
    this.#draw();
  }

  /** Writes text above the panel. */
  print(text: string): void {
    this.#draw(`${text.replaceAll(/[^\P{Cc}\n]/gu, ' ')}\n`);
  }

  /** Takes the panel away. */
  [Symbol.dispose](): void {
    this.#snapshot = undefined;
    if (this.#drawn.length > 0) this.#draw();
  }

  #draw(above = ''): void {
    const { columns, rows } = this.#size();
    const plain = this.#lines({ columns: columns - 1, lines: rows - 1 });
    const colours = this.#terminal.hasColors?.(16) ?? false;
    const lines = colours ? this.#lines({ columns: columns - 1, lines: rows - 1, paint }) : plain;
    const cleared = above === '' ? '' : `${CLEAR_BELOW}${above}`;
    const panel = lines.map((line) => `${line}${CLEAR_LINE}\n`).join('');
    this.#terminal.write(`${BEGIN_FRAME}${this.#toTop(columns)}${cleared}${panel}${CLEAR_BELOW}${END_FRAME}`);
    this.#drawn = plain.map(textWidth);
  }

  #lines(size: Parameters<typeof panelLines>[1]): readonly string[] {
    return this.#snapshot ? panelLines(this.#snapshot, size) : [];
  }

  /** To the first line of the panel as it stands; a terminal that became narrower has broken its lines. */
  #toTop(columns: number): string {
    const up = this.#drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return up > 0 ? `\r\u001b[${up}A` : '\r';
  }

  #size(): { readonly columns: number; readonly rows: number } {
    const { columns, rows } = this.#terminal;
    return { columns: Math.max(2, columns || USUAL_SIZE.columns), rows: Math.max(2, rows || USUAL_SIZE.rows) };
  }
}

function paint(emphasis: Emphasis, line: string): string {
  return emphasis === 'plain' ? line : util.styleText(emphasis, line, { validateStream: false });
}
