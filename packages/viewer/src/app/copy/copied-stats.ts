import type { ColumnInfo } from '../../api/columns.ts';
import type { Bar, ColumnStats } from '../../api/table.ts';

/** The bars of a column. */
const BARS = 12;

/** The statistics of the values of a column within a filter: the most frequent values, or equal ranges of numbers. */
export function statsOf(column: ColumnInfo, values: readonly unknown[]): ColumnStats {
  const found = values.filter((value) => value !== null && value !== undefined);
  const base = { column: column.name, rows: values.length, nulls: values.length - found.length, members: [] };
  const nothing = { kind: 'none', bars: [], others: 0, distinct: null, low: null, high: null, mean: null } as const;
  if (column.isNested || column.kind === 'trace' || found.length === 0) return { ...base, ...nothing };
  const counts = new Map<unknown, number>();
  for (const value of found) counts.set(value, (counts.get(value) ?? 0) + 1);
  const numbers = found.filter((value) => typeof value === 'number');
  const isNumeric = numbers.length === found.length;
  const ranges = isNumeric ? rangeFacts(numbers) : { low: null, high: null, mean: null };
  if (isNumeric && counts.size > BARS) {
    return { ...base, ...ranges, kind: 'bins', bars: binsOf(column.name, numbers), others: 0, distinct: counts.size };
  }
  const bars = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, BARS)
    .map(([value, count]) => valueBar(column.name, value, count));
  const shown = bars.reduce((sum, { count }) => sum + count, 0);
  return { ...base, ...ranges, kind: 'values', bars, others: found.length - shown, distinct: counts.size };
}

function rangeFacts(numbers: readonly number[]): Pick<ColumnStats, 'low' | 'high' | 'mean'> {
  const [low, high] = boundsOf(numbers);
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  return { low: String(low), high: String(high), mean };
}

function boundsOf(numbers: readonly number[]): readonly [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of numbers) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

function valueBar(column: string, value: unknown, count: number): Bar {
  const given = typeof value === 'boolean' || typeof value === 'number' ? value : String(value);
  return { label: String(value).slice(0, 80), count, condition: { column, op: 'equals', value: given } };
}

function binsOf(column: string, numbers: readonly number[]): readonly Bar[] {
  const [low, high] = boundsOf(numbers);
  const width = (high - low) / BARS;
  const counts = Array.from({ length: BARS }, () => 0);
  for (const value of numbers) {
    const at = Math.min(BARS - 1, Math.floor((value - low) / width));
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts.map((count, at) => {
    const from = low + at * width;
    const isLast = at === BARS - 1;
    const to = isLast ? high : low + (at + 1) * width;
    const condition = { column, op: 'between', low: from, high: to, ...(isLast && { isLast }) } as const;
    return { label: `${from.toPrecision(3)} to ${to.toPrecision(3)}`, count, condition };
  });
}
