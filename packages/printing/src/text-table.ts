import { fitText, textWidth } from './fit-text.ts';

/** The layout of a table, which is as wide as its contents. */
interface TableLayout {
  /** The first right-aligned column; those after it are right-aligned too. */
  readonly rightFrom?: number;
  /** Draws a line below the first row. */
  readonly isRuled?: boolean;
}

/** Rows as lines of text with aligned cells, without characters that would move the cursor. */
export function textTable(rows: readonly (readonly string[])[], layout: TableLayout = {}): string[] {
  const { rightFrom = Infinity, isRuled = false } = layout;
  const cells = rows.map((row) => row.map((cell) => fitText(cell, Infinity)));
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
    return padded.join('  ').trimEnd();
  });
}
