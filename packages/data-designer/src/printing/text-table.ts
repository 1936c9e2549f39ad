import { fitText, textWidth } from './fit-text.ts';

/** How a table looks; as wide as it needs unless told. */
interface TableLook {
  /** Columns of the terminal that a line takes, at most. */
  readonly width?: number;
  /** Columns of the terminal that a cell takes, at most. */
  readonly cellWidth?: number;
  /** The first column of the table that stands to the right, as do all after it. */
  readonly rightFrom?: number;
  /** Draws a line below the first row. */
  readonly isRuled?: boolean;
}

/** Rows as lines of text, their cells below each other; what would move the cursor is left out. */
export function textTable(rows: readonly (readonly string[])[], look: TableLook = {}): string[] {
  const { width = Infinity, cellWidth = Infinity, rightFrom = Infinity, isRuled = false } = look;
  const cells = rows.map((row) => row.map((cell) => fitText(cell, cellWidth)));
  const widths: number[] = [];
  for (const row of cells) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, textWidth(cell));
  }
  const rule = widths.map((wide) => '-'.repeat(wide));
  const [head, ...rest] = cells;
  const lines = isRuled && head ? [head, rule, ...rest] : cells;
  return lines.map((row) => {
    const padded = row.map((cell, at) => {
      const gap = ' '.repeat((widths[at] ?? 0) - textWidth(cell));
      return at < rightFrom ? `${cell}${gap}` : `${gap}${cell}`;
    });
    return fitText(padded.join('  ').trimEnd(), width);
  });
}
