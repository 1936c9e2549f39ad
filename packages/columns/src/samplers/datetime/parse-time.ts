import { parseDate } from './parse-date.ts';

/** The range of 64-bit nanoseconds around 1970: from 1677 to 2262. */
const MAX_SECONDS = 9_223_372_036;

/**
 * Reads a time as the reference tool does: ISO dates and times, month names, and numbers with the month first. Returns
 * whole seconds since 1970, in UTC if no zone is given; undefined for other text.
 */
export function parseTime(text: string): number | undefined {
  const clock = parseClock(text.trim());
  const midnight = clock && parseDate(clock.rest);
  if (clock === undefined || midnight === undefined) return undefined;
  const seconds = midnight + clock.seconds;
  return Math.abs(seconds) <= MAX_SECONDS ? seconds : undefined;
}

/** A time of day extracted from text. */
export interface Clock {
  /** Seconds since midnight in UTC; negative or beyond a day if the zone shifts the date. */
  readonly seconds: number;
  /** The text without the time of day. */
  readonly rest: string;
}

const ZONE = String.raw`(?:\s*(?<zone>Z|UTC|GMT|[+-]\d{1,2}(?::?\d{2})?))?`;

/** After a full ISO date, colons and minutes are optional. */
const SHORT = new RegExp(
  String.raw`^(?<date>\d{4}(?<sep>[-/.\\ ])\d{1,2}\k<sep>\d{1,2}(?=[T\s])|\d{8})(?:T|\s+)?` +
    String.raw`(?<hour>\d{2})(?:(?<minute>\d{2})(?:(?<second>\d{2})(?:[.,]\d+)?)?)?${ZONE}$`,
  'i',
);

/** Elsewhere, a time of day needs colons, or AM or PM. */
const LONG = new RegExp(
  String.raw`(?<=^|\s|\dT)(?<hour>\d{1,2})` +
    String.raw`(?::(?<minute>\d{1,2})(?::(?<second>\d{1,2})(?:[.,]\d+)?)?(?:\s*(?<half>[ap])\.?m\b\.?)?|\s*(?<noon>[ap])\.?m\b\.?)` +
    String.raw`${ZONE}(?=$|[\s,])`,
  'i',
);

/** Extracts the time of day from a date; undefined for an impossible one. */
export function parseClock(text: string): Clock | undefined {
  const short = SHORT.exec(text)?.groups;
  if (short) return clockOf(short, short.date ?? '');
  const long = LONG.exec(text);
  if (!long?.groups) return { seconds: 0, rest: withoutT(text) };
  const rest = `${withoutT(text.slice(0, long.index))} ${text.slice(long.index + long[0].length)}`;
  return clockOf(long.groups, rest);
}

/** Removes the `T` between date and time. */
function withoutT(text: string): string {
  return text.replace(/(?<=\d)T$/i, '');
}

type Groups = Readonly<Record<string, string | undefined>>;

function clockOf(groups: Groups, rest: string): Clock | undefined {
  const [minute, second] = [Number(groups.minute ?? 0), Number(groups.second ?? 0)];
  const hour = hourOf(Number(groups.hour), groups.half ?? groups.noon);
  const offset = offsetOf(groups.zone ?? 'Z');
  if (hour === undefined || offset === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  return { seconds: (hour * 60 + minute) * 60 + second - offset, rest };
}

/** The hour of the day; undefined if AM and PM do not have it. */
function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour;
  if (hour > 12) return undefined;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

/** The offset of a zone from UTC, in seconds. */
function offsetOf(zone: string): number | undefined {
  const parts = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(zone);
  if (!parts) return 0;
  const [hours, minutes] = [Number(parts[2]), Number(parts[3] ?? 0)];
  if (hours > 23 || minutes > 59) return undefined;
  return (parts[1] === '-' ? -60 : 60) * (hours * 60 + minutes);
}
