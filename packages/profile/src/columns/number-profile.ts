import type { Histogram, NumberProfile } from '../dataset-profile.ts';
import type { ProfiledTable } from '../table/profiled-table.ts';

/** Bins of a histogram; whole numbers of a smaller range get one bin each. */
const BINS = 30;

/** Above this many records the median is estimated: an exact one holds all numbers in memory. */
const EXACT_MEDIAN_RECORDS = 4_000_000;

/** The numbers, in SQL. */
interface Numbers {
  /** An expression over a row of `from`; null, NaN and infinities are left out. */
  readonly expression: string;
  readonly from?: string;
  readonly areWhole?: boolean;
}

/** The distribution of the numbers of an expression; undefined if there are none. */
export async function profileNumbers(
  table: ProfiledTable,
  { expression, from = 't', areWhole = false }: Numbers,
): Promise<NumberProfile | undefined> {
  const finite = `(SELECT CAST(${expression} AS DOUBLE) AS x FROM ${from}) WHERE isfinite(x)`;
  const [counted = 0, min, max] = await table.row(`SELECT count(*), min(x), max(x) FROM ${finite}`);
  const count = Number(counted);
  if (count === 0) return undefined;
  const bounds = { low: Number(min), high: Number(max) };
  const scale = scaleOf(bounds);
  const source = scale === 1 ? finite : `(SELECT x / ${sqlNumber(scale)} AS x FROM ${finite})`;
  const isMedianEstimated = table.records > EXACT_MEDIAN_RECORDS;
  const middle = isMedianEstimated ? 'approx_quantile(x, 0.5)' : 'median(x)';
  const found = await table.row(`SELECT avg(x), stddev_samp(x), ${middle} FROM ${source}`);
  const [mean = NaN, stddev = NaN, median = NaN] = found.map((figure) =>
    figure === null ? NaN : Number(figure) * scale,
  );
  const bins = areWhole && bounds.high - bounds.low < BINS ? bounds.high - bounds.low + 1 : BINS;
  const scaled = { low: bounds.low / scale, high: bounds.high / scale, bins };
  return {
    count,
    min: bounds.low,
    max: bounds.high,
    mean,
    stddev: Number.isFinite(stddev) ? stddev : null,
    median,
    isMedianEstimated,
    histogram: { ...bounds, counts: await countBins(table, source, scaled) },
  };
}

/** The distribution of whole numbers that floats hold exactly; undefined if there are none. */
export function profileWholeNumbers(numbers: readonly number[]): NumberProfile | undefined {
  const sorted = numbers.toSorted((a, b) => a - b);
  const count = sorted.length;
  const [min, max] = [sorted[0], sorted.at(-1)];
  if (min === undefined || max === undefined) return undefined;
  // From the least on: large numbers close together keep their digits.
  const beyond = sorted.reduce((sum, x) => sum + (x - min), 0) / count;
  const squares = sorted.reduce((sum, x) => sum + (x - min - beyond) ** 2, 0);
  return {
    count,
    min,
    max,
    mean: min + beyond,
    stddev: count > 1 ? Math.sqrt(squares / (count - 1)) : null,
    median: medianOf(sorted),
    isMedianEstimated: false,
    histogram: histogramOf(sorted),
  };
}

/** The median of whole numbers in their order. */
export function medianOf(sorted: readonly number[]): number {
  const middle = (sorted.length - 1) / 2;
  const [below = 0, above = 0] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return below + (above - below) / 2;
}

/** The histogram of whole numbers in their order. */
export function histogramOf(sorted: readonly number[]): Histogram {
  const [low = 0, high = 0] = [sorted[0], sorted.at(-1)];
  const bins = high - low < BINS ? high - low + 1 : BINS;
  const counts = Array.from({ length: bins }, () => 0);
  for (const x of sorted) {
    // Halves first, as in SQL.
    const place = high > low ? (x / 2 - low / 2) / (high / 2 - low / 2) : 0;
    const bin = Math.min(bins - 1, Math.floor(place * bins));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return { low, high, counts };
}

/** The square of a number beyond these bounds is not a float. */
const SQUARED = { least: 1e-150, most: 1e150 } as const;

/** Divisor that makes numbers too large or too small to be squared countable; else 1. */
function scaleOf({ low, high }: { readonly low: number; readonly high: number }): number {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  return largest > SQUARED.most || (largest > 0 && largest < SQUARED.least) ? largest : 1;
}

async function countBins(
  table: ProfiledTable,
  source: string,
  { low, high, bins }: { readonly low: number; readonly high: number; readonly bins: number },
): Promise<readonly number[]> {
  // Halves first: the range itself may exceed the largest number.
  const place = `(x / 2 - ${sqlNumber(low / 2)}) / ${sqlNumber(high / 2 - low / 2)}`;
  const bin = high > low ? `least(${bins - 1}, CAST(floor(${place} * ${bins}) AS INTEGER))` : '0';
  const rows = await table.rows(`SELECT ${bin} AS bin, count(*) FROM ${source} GROUP BY bin`);
  const counts = Array.from({ length: high > low ? bins : 1 }, () => 0);
  for (const [at, count] of rows) counts[Number(at)] = Number(count);
  return counts;
}

function sqlNumber(value: number): string {
  return `CAST('${value}' AS DOUBLE)`;
}
