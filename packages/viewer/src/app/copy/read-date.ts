/** DuckDB takes a time of day that breaks off behind a colon, and parts of one digit. */
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d?):(?:(\d\d?)(?::(?:(\d\d?)(\.\d*)?(Z| UTC|[+-]\d\d(?::?\d\d(?::\d\d)?)?)?)?)?)?)?$/;

/** The time of a text in ISO 8601, in milliseconds since 1970; without an offset in UTC. NaN for other texts. */
export function readIsoDate(text: string): number {
  const found = ISO.exec(text);
  if (!found) return NaN;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part: string | undefined) => Number(part ?? 0));
  const ms = Number(`0${found[7] ?? ''}`) * 1000;
  const isEndOfDay = hour === 24 && minute + second + ms === 0;
  const time = timeOf({ ...MIDNIGHT, year, month, day, hour: isEndOfDay ? 0 : hour, minute, second, ms });
  return time + (isEndOfDay ? MS_PER_DAY : 0) - offsetOf(found[8] ?? 'Z');
}

/** The milliseconds of an offset from UTC. */
function offsetOf(offset: string): number {
  const [, sign, hours, minutes = 0, seconds = 0] = /^([+-])(\d\d):?(\d\d)?(?::(\d\d))?$/.exec(offset) ?? [];
  if (hours === undefined) return 0;
  return (sign === '-' ? -1000 : 1000) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds));
}

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const MS_PER_DAY = 86_400_000;

/** The parts of a time; a format names some of them. */
interface Parts {
  year: number;
  month: number;
  day: number;
  dayOfYear: number | undefined;
  hour: number;
  minute: number;
  second: number;
  ms: number;
  /** An hour from 1 to 12. */
  halfHour: number | undefined;
  isAfternoon: boolean;
}

const MIDNIGHT: Parts = {
  year: 1900,
  month: 1,
  day: 1,
  dayOfYear: undefined,
  hour: 0,
  minute: 0,
  second: 0,
  ms: 0,
  halfHour: undefined,
  isAfternoon: false,
};

/** A directive of strftime: what it matches at a position, and the part that it sets. */
interface Directive {
  readonly matches: RegExp;
  readonly set: (parts: Parts, text: string) => void;
}

function number(
  digits: number,
  part: Exclude<keyof Parts, 'isAfternoon'>,
  of: (value: number) => number = (value) => value,
): Directive {
  const matches = new RegExp(String.raw`\d{1,${digits}}`, 'y');
  return { matches, set: (parts, text) => void (parts[part] = of(Number(text))) };
}

function name(names: readonly string[], set: Directive['set'] = () => {}): Directive {
  return { matches: new RegExp(names.join('|'), 'iy'), set };
}

const short = (names: readonly string[]) => names.map((full) => full.slice(0, 3));
const setMonth: Directive['set'] = (parts, text) => {
  parts.month = 1 + MONTHS.findIndex((full) => full.startsWith(text.slice(0, 3).toLowerCase()));
};

const DIRECTIVES: Readonly<Record<string, Directive>> = {
  Y: number(4, 'year'),
  y: number(2, 'year', (value) => (value < 69 ? 2000 : 1900) + value),
  m: number(2, 'month'),
  b: name(short(MONTHS), setMonth),
  B: name(MONTHS, setMonth),
  d: number(2, 'day'),
  j: number(3, 'dayOfYear'),
  H: number(2, 'hour'),
  I: number(2, 'halfHour'),
  M: number(2, 'minute'),
  S: number(2, 'second'),
  f: { matches: /\d{1,9}/y, set: (parts, text) => void (parts.ms = Number(`0.${text}`) * 1000) },
  p: { matches: /[ap]m/iy, set: (parts, text) => void (parts.isAfternoon = /^p/i.test(text)) },
  a: name(short(WEEKDAYS)),
  A: name(WEEKDAYS),
};

/**
 * Reads the times of texts in a strftime format, or in ISO 8601 if it has no year: milliseconds since 1970, or NaN. It accepts
 * what DuckDB accepts, which reads them for the served page: each directive takes as much as it can.
 */
export function dateReader(format: string | null): (text: string) => number {
  if (format === null || !/%-?[Yy]/.test(format)) return readIsoDate;
  const steps = Array.from(format.matchAll(/%-?([a-zA-Z])|[^]/g), ([text, directive]) => {
    return directive === undefined ? text : DIRECTIVES[directive];
  });
  return (text) => {
    const parts = { ...MIDNIGHT };
    const left = text.trim();
    let at = 0;
    for (const step of steps) {
      if (step === undefined) return NaN;
      const found = typeof step === 'string' ? literalAt(left, at, step) : matchAt(left, at, step.matches);
      if (found === undefined) return NaN;
      if (typeof step !== 'string') step.set(parts, found);
      at += found.length;
    }
    return at === left.length ? timeOf(parts) : NaN;
  };
}

function literalAt(text: string, at: number, literal: string): string | undefined {
  return text.startsWith(literal, at) ? literal : undefined;
}

function matchAt(text: string, at: number, pattern: RegExp): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** The milliseconds since 1970 of a time that exists, else NaN. */
function timeOf({ year, month, day, dayOfYear, minute, second, ms, halfHour, isAfternoon, ...parts }: Parts): number {
  if (halfHour !== undefined && (halfHour < 1 || halfHour > 12)) return NaN;
  const hour = halfHour === undefined ? parts.hour : (halfHour % 12) + (isAfternoon ? 12 : 0);
  if (hour > 23 || minute > 59 || second > 59) return NaN;
  // `setUTCFullYear` takes the years 0 to 99 as they are, unlike `Date.UTC`.
  const date = new Date(0);
  const start =
    dayOfYear === undefined ? date.setUTCFullYear(year, month - 1, day) : date.setUTCFullYear(year, 0, dayOfYear);
  const exists =
    dayOfYear === undefined
      ? date.getUTCMonth() === month - 1 && date.getUTCDate() === day
      : dayOfYear >= 1 && dayOfYear <= 366;
  return exists ? Math.floor(start / MS_PER_DAY) * MS_PER_DAY + ((hour * 60 + minute) * 60 + second) * 1000 + ms : NaN;
}
