import type { CivilTime } from './civil-time.ts';

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** The English names of the months. */
export const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** The output of a directive. */
export type TimeDirective =
  /** A number with a minimum of digits. */
  | { readonly number: (time: CivilTime) => number; readonly digits: number; readonly pad?: ' ' }
  /** A word by its index; the `#` flag prints it in capitals, or if `small` in lower case. */
  | { readonly words: readonly string[]; readonly word: (time: CivilTime) => number; readonly small?: true }
  /** A nested format. */
  | { readonly format: string }
  /** Fixed text; `plain` accepts no flags. */
  | { readonly text: string; readonly plain?: true };

const SHORT_MONTH: TimeDirective = { words: MONTHS.map((name) => name.slice(0, 3)), word: ({ month }) => month - 1 };

/** The strftime directives of the C locale of Linux by letter; times have no zone and no fractions. */
export const TIME_DIRECTIVES: Readonly<Record<string, TimeDirective>> = {
  a: { words: WEEKDAYS.map((name) => name.slice(0, 3)), word: ({ weekday }) => weekday },
  A: { words: WEEKDAYS, word: ({ weekday }) => weekday },
  b: SHORT_MONTH,
  B: { words: MONTHS, word: ({ month }) => month - 1 },
  c: { format: '%a %b %e %H:%M:%S %Y' },
  C: { number: ({ year }) => Math.floor(year / 100), digits: 1 },
  d: { number: ({ day }) => day, digits: 2 },
  D: { format: '%m/%d/%y' },
  e: { number: ({ day }) => day, digits: 2, pad: ' ' },
  f: { text: '000000', plain: true },
  F: { format: '%Y-%m-%d' },
  g: { number: (time) => isoWeekYear(time) % 100, digits: 2 },
  G: { number: isoWeekYear, digits: 1 },
  h: SHORT_MONTH,
  H: { number: ({ hour }) => hour, digits: 2 },
  I: { number: halfHour, digits: 2 },
  j: { number: ({ yearDay }) => yearDay + 1, digits: 3 },
  k: { number: ({ hour }) => hour, digits: 2, pad: ' ' },
  l: { number: halfHour, digits: 2, pad: ' ' },
  m: { number: ({ month }) => month, digits: 2 },
  M: { number: ({ minute }) => minute, digits: 2 },
  n: { text: '\n' },
  p: { words: ['AM', 'PM'], word: halfOfDay, small: true },
  P: { words: ['am', 'pm'], word: halfOfDay, small: true },
  r: { format: '%I:%M:%S %p' },
  R: { format: '%H:%M' },
  s: { number: ({ seconds }) => seconds, digits: 1, pad: ' ' },
  S: { number: ({ second }) => second, digits: 2 },
  t: { text: '\t' },
  T: { format: '%H:%M:%S' },
  u: { number: ({ weekday }) => weekday || 7, digits: 1 },
  U: { number: ({ yearDay, weekday }) => Math.floor((yearDay + 7 - weekday) / 7), digits: 2 },
  V: { number: isoWeek, digits: 2 },
  w: { number: ({ weekday }) => weekday, digits: 1 },
  W: { number: ({ yearDay, weekday }) => Math.floor((yearDay + 7 - ((weekday + 6) % 7)) / 7), digits: 2 },
  x: { format: '%m/%d/%y' },
  X: { format: '%H:%M:%S' },
  y: { number: ({ year }) => year % 100, digits: 2 },
  Y: { number: ({ year }) => year, digits: 1 },
  z: { text: '', plain: true },
  Z: { text: '', plain: true },
  '%': { text: '%' },
};

/** The hour on a 12-hour clock. */
function halfHour({ hour }: CivilTime): number {
  return hour % 12 || 12;
}

function halfOfDay({ hour }: CivilTime): number {
  return hour < 12 ? 0 : 1;
}

/** The ISO 8601 week: week 1 holds the first Thursday. 0 and 53 may belong to a neighbouring year. */
function uncheckedIsoWeek({ yearDay, weekday }: CivilTime): number {
  return Math.floor((yearDay + 1 - (weekday || 7) + 10) / 7);
}

function isoWeek(time: CivilTime): number {
  const loose = uncheckedIsoWeek(time);
  if (loose === 0) return weeksIn(time.year - 1);
  return loose > weeksIn(time.year) ? 1 : loose;
}

/** The year to which the ISO week belongs. */
function isoWeekYear(time: CivilTime): number {
  const loose = uncheckedIsoWeek(time);
  if (loose === 0) return time.year - 1;
  return loose > weeksIn(time.year) ? time.year + 1 : time.year;
}

/** A year has 53 weeks if it ends on a Thursday, or the previous one on a Wednesday. */
function weeksIn(year: number): number {
  return lastWeekday(year) === 4 || lastWeekday(year - 1) === 3 ? 53 : 52;
}

function lastWeekday(year: number): number {
  return (year + Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400)) % 7;
}
