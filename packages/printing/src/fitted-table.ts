import { styleText } from 'node:util';
import { fitText, textWidth } from './fit-text.ts';
import { wrapText } from './wrap-text.ts';

/** Columns of wrapped text are not made narrower. */
const MIN_WIDTH = 20;
/** The lines of a wrapped cell; longer text is cut. */
const MAX_LINES = 3;
const GAP = '  ';

/** How a table fits into a terminal. */
interface FittedTable {
  /** Terminal columns of a line. */
  readonly width: number;
  /** Headings of columns with text, which wraps; cells of the other columns stay on one line. */
  readonly wrapped: readonly string[];
  /** Headings of the columns to leave out first; then those on the right. */
  readonly dispensable?: readonly string[];
}

interface TableColumn {
  readonly heading: string;
  readonly cells: readonly string[];
  /** The width that needs no wrapping. */
  readonly full: number;
  readonly least: number;
}

/**
 * Rows by heading as lines of text. A table that is too wide has wrapped text; if that does not suffice, it leaves out
 * columns and says which.
 */
export function fittedTable(rows: readonly Readonly<Record<string, string>>[], layout: FittedTable): string[] {
  const { width, wrapped } = layout;
  const headings = filledHeadings(rows);
  const all = headings.map((heading) => tableColumn(heading, rows, wrapped.includes(heading)));
  const columns = [...all];
  for (const heading of [...(layout.dispensable ?? []), ...headings.slice(1).toReversed()]) {
    if (widthOf(columns.map(({ least }) => least)) <= width) break;
    const at = columns.findIndex((column) => column.heading === heading);
    if (at > 0) columns.splice(at, 1);
  }
  const widths = spreadWidth(columns, width);
  const header: Readonly<Record<string, string>> = Object.fromEntries(headings.map((heading) => [heading, heading]));
  const [head = [], ...lines] = [header, ...rows].map((row) => {
    const cells = columns.map(({ heading }, at) => wrapCell(row[heading] ?? '', widths[at] ?? 0));
    const height = Math.max(1, ...cells.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) => {
      const padded = cells.map((cell, at) => {
        const text = cell[line] ?? '';
        return text + ' '.repeat(Math.max(0, (widths[at] ?? 0) - textWidth(text)));
      });
      return fitText(padded.join(GAP).trimEnd(), width);
    });
  });
  const omitted = all.filter((column) => !columns.includes(column)).map(({ heading }) => heading);
  const note = `Left out, as ${width} characters are too narrow: ${omitted.join(', ')} (${omitted.length} of ${all.length} columns)`;
  const notes = omitted.length === 0 ? [] : wrapText(note, width).map((line) => styleText('dim', line));
  return [...head.map((line) => styleText('cyan', line)), ...lines.flat(), ...notes];
}

/** The headings of rows, without those whose cells are all empty. */
export function filledHeadings(rows: readonly Readonly<Record<string, string>>[]): readonly string[] {
  const headings = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return headings.filter((heading) => rows.some((row) => (row[heading] ?? '') !== ''));
}

function tableColumn(
  heading: string,
  rows: readonly Readonly<Record<string, string>>[],
  isWrapped: boolean,
): TableColumn {
  const cells = rows.map((row) => row[heading] ?? '');
  const widest = Math.max(0, ...cells.map((cell) => textWidth(fitText(cell, Infinity))));
  const full = Math.max(widest, textWidth(heading));
  const word = Math.max(...heading.split(' ').map(textWidth));
  return { heading, cells, full, least: isWrapped ? Math.min(full, MIN_WIDTH) : Math.max(widest, word) };
}

/** The widths of columns: the least ones, and what is left goes to the narrowest column that needs more. */
function spreadWidth(columns: readonly TableColumn[], width: number): readonly number[] {
  const widths = columns.map(({ least }) => least);
  for (let left = width - widthOf(widths); left > 0; left--) {
    const needy = columns.flatMap(({ full }, at) => ((widths[at] ?? 0) < full ? [widths[at] ?? 0] : []));
    if (needy.length === 0) break;
    const narrowest = Math.min(...needy);
    const at = columns.findIndex(({ full }, index) => widths[index] === narrowest && narrowest < full);
    widths[at] = narrowest + 1;
  }
  return widths;
}

function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}

function wrapCell(text: string, width: number): readonly string[] {
  const lines = wrapText(fitText(text, Infinity), Math.max(1, width));
  if (lines.length <= MAX_LINES) return lines;
  const rest = lines.slice(MAX_LINES - 1).join(' ');
  return [...lines.slice(0, MAX_LINES - 1), fitText(rest, width)];
}
