import type { NumberProfile } from '../dataset-profile.ts';
import type { ProfiledTable } from '../table/profiled-table.ts';

/** Bins of a histogram; whole numbers of a smaller range have one each. */
const BINS = 30;

/** Above so many records the median is estimated: an exact one holds them all in memory. */
const EXACT_MEDIAN_RECORDS = 4_000_000;

/** Which numbers are looked at, in SQL. */
interface Numbers {
  /** Of a row of `from`; null and what is not finite is left out. */
  readonly expression: string;
  readonly from?: string;
  readonly areWhole?: boolean;
}

/** How the numbers that an expression gives are spread; undefined where there are none. */
export async function profileNumbers(
  table: ProfiledTable,
  { expression, from = 't', areWhole = false }: Numbers,
): Promise<NumberProfile | undefined> {
  const finite = `(SELECT CAST(${expression} AS DOUBLE) AS x FROM ${from}) WHERE isfinite(x)`;
  const [counted = 0, min, max] = await table.row(`SELECT count(*), min(x), max(x) FROM ${finite}`);
  const count = Number(counted);
  if (count === 0) return undefined;
  const bounds = { low: min as number, high: max as number };
  const scale = scaleOf(bounds);
  const source = scale === 1 ? finite : `(SELECT x / ${sqlNumber(scale)} AS x FROM ${finite})`;
  const isMedianEstimated = table.records > EXACT_MEDIAN_RECORDS;
  const middle = isMedianEstimated ? 'approx_quantile(x, 0.5)' : 'median(x)';
  const found = await table.row(`SELECT avg(x), stddev_samp(x), ${middle} FROM ${source}`);
  const [mean, stddev, median] = found.map((figure) => (figure === null ? null : (figure as number) * scale));
  const bins = areWhole && bounds.high - bounds.low < BINS ? bounds.high - bounds.low + 1 : BINS;
  const scaled = { low: bounds.low / scale, high: bounds.high / scale, bins };
  return {
    count,
    min: bounds.low,
    max: bounds.high,
    mean: mean as number,
    stddev: Number.isFinite(stddev) ? (stddev as number) : null,
    median: median as number,
    isMedianEstimated,
    histogram: { ...bounds, counts: await countBins(table, source, scaled) },
  };
}

/** Squares of numbers beyond these are no floats. */
const SQUARED = { least: 1e-150, most: 1e150 } as const;

/** What numbers are divided by while they are counted; 1 unless they are too large or too small to be squared. */
function scaleOf({ low, high }: { readonly low: number; readonly high: number }): number {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  return largest > SQUARED.most || (largest > 0 && largest < SQUARED.least) ? largest : 1;
}

async function countBins(
  table: ProfiledTable,
  source: string,
  { low, high, bins }: { readonly low: number; readonly high: number; readonly bins: number },
): Promise<readonly number[]> {
  // Halves first: the range itself may be beyond the largest number.
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
