import type { DateProfile, DateUnit } from '../dataset-profile.ts';
import type { ProfiledTable } from '../table/profiled-table.ts';

const DAY = 86_400;

/** The first Monday before 1970, in seconds: weeks start on Mondays. */
const FIRST_MONDAY = -3 * DAY;

/** A histogram has the smallest unit with at most this many bins. */
const MAX_BINS = 60;

/** The units of histograms, from the smallest: a number of seconds or of months. */
const UNITS: readonly (readonly [DateUnit, { readonly seconds?: number; readonly months?: number }])[] = [
  ['second', { seconds: 1 }],
  ['10 seconds', { seconds: 10 }],
  ['minute', { seconds: 60 }],
  ['10 minutes', { seconds: 600 }],
  ['hour', { seconds: 3600 }],
  ['6 hours', { seconds: 6 * 3600 }],
  ['day', { seconds: DAY }],
  ['week', { seconds: 7 * DAY }],
  ['month', { months: 1 }],
  ['quarter', { months: 3 }],
  ['year', { months: 12 }],
  ['decade', { months: 120 }],
  ['century', { months: 1200 }],
];

/** The units to which all times of a column may be cut, from the largest, as conditions over a time `d`. */
const PRECISIONS: readonly (readonly [DateUnit, string])[] = [
  ['year', `month(d) = 1 AND day(d) = 1 AND epoch_us(d) % ${DAY}000000 = 0`],
  ['month', `day(d) = 1 AND epoch_us(d) % ${DAY}000000 = 0`],
  ['day', `epoch_us(d) % ${DAY}000000 = 0`],
  ['hour', 'epoch_us(d) % 3600000000 = 0'],
  ['minute', 'epoch_us(d) % 60000000 = 0'],
];

/** The format directives of `convert_to` that DuckDB reads as Python writes them. */
const DIRECTIVES = /^(?:[^%]|%-?[YymdHMSfIjpbBaA])*$/;
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:.*)?$/;

/** Whether texts may be dates in ISO 8601. */
export function mayBeDates(texts: readonly string[]): boolean {
  return texts.every((text) => ISO.test(text));
}

/**
 * SQL of the time in a text, or null; undefined if the first texts are no dates. Times with an offset count in UTC, the
 * others as they are written. Texts are dates in ISO 8601, or in the strftime format that the column declares.
 */
export function dateSql(text: string, first: readonly string[], format: unknown): string | undefined {
  if (typeof format === 'string' && /%-?[Yy]/.test(format)) {
    return DIRECTIVES.test(format) ? `try_strptime(${text}, '${format.replaceAll("'", "''")}')` : undefined;
  }
  if (!mayBeDates(first)) return undefined;
  const offset = `substr(${text}, 12)`;
  const hasOffset = `(contains(${offset}, 'Z') OR contains(${offset}, '+') OR contains(${offset}, '-'))`;
  // Casts with a zone take three times as long.
  return `CASE WHEN ${text} NOT LIKE '____-__-__%' OR contains(${text}, '(') THEN NULL
    WHEN ${hasOffset} THEN CAST(TRY_CAST(${text} AS TIMESTAMPTZ) AS TIMESTAMP) ELSE TRY_CAST(${text} AS TIMESTAMP) END`;
}

/** The distribution of the times of a text, in SQL; undefined if one of the texts is no date, or there are none. */
export async function profileDates(
  table: ProfiledTable,
  { text, date }: { readonly text: string; readonly date: string },
): Promise<DateProfile | undefined> {
  // Parsing takes longer than counting.
  await table.run(`CREATE OR REPLACE TEMP TABLE dates AS SELECT ${date} AS d FROM t WHERE ${text} IS NOT NULL`);
  const cut = PRECISIONS.map(([, condition]) => `bool_and(${condition})`);
  const [all, parsed, low, high, ...isCut] = await table.row(
    `SELECT count(*), count(d), epoch(min(d)), epoch(max(d)), ${cut.join(', ')} FROM dates`,
  );
  const count = Number(all);
  if (count === 0 || Number(parsed) < count) return undefined;
  const [min, max] = [Number(low), Number(high)];
  const precision = PRECISIONS[isCut.indexOf(true)]?.[0] ?? 'second';
  const least = UNITS.findIndex(([unit]) => unit === precision);
  const units = UNITS.slice(least).map(([unit, { seconds, months }]) => {
    const length = seconds ?? months ?? 1;
    const bins = seconds === undefined ? monthBins(length) : secondBins(length);
    return { unit, ...bins, first: bins.at(min), last: bins.at(max) };
  });
  const fitting = units.find(({ first, last }) => last - first < MAX_BINS) ?? units.at(-1);
  if (!fitting) return undefined;
  const { unit, sql, start, first, last } = fitting;
  const rows = await table.rows(`SELECT ${sql} AS bin, count(*) FROM dates GROUP BY bin`);
  const counted = new Map(rows.map(([bin, records]) => [Number(bin), Number(records)]));
  const bins = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  return {
    count,
    min: isoText(min),
    max: isoText(max),
    precision,
    histogram: {
      unit,
      starts: bins.map((bin) => isoText(start(bin))),
      counts: bins.map((bin) => counted.get(bin) ?? 0),
    },
  };
}

/** Bins of a unit: the SQL of the bin of a time `d`, the bin of an epoch time, and the start of a bin. */
interface DateBins {
  readonly sql: string;
  readonly at: (epoch: number) => number;
  readonly start: (bin: number) => number;
}

function secondBins(length: number): DateBins {
  const origin = length > DAY ? FIRST_MONDAY : 0;
  return {
    sql: `CAST(floor((epoch(d) - ${origin}) / ${length}) AS BIGINT)`,
    at: (epoch) => Math.floor((epoch - origin) / length),
    start: (bin) => bin * length + origin,
  };
}

function monthBins(length: number): DateBins {
  return {
    sql: `CAST(floor((year(d) * 12 + month(d) - 1) / ${length}) AS BIGINT)`,
    at: (epoch) => {
      const date = new Date(epoch * 1000);
      return Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / length);
    },
    // `setUTCFullYear` takes the years 0 to 99 as they are, unlike `Date.UTC`.
    start: (bin) => new Date(0).setUTCFullYear(0, bin * length) / 1000,
  };
}

/** A time as ISO 8601 in UTC without an offset; without the time of day at midnight. */
function isoText(epoch: number): string {
  return new Date(Math.floor(epoch) * 1000).toISOString().replace(/(?:T00:00:00)?\.000Z$/, '');
}
