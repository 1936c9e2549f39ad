import { MONTHS } from './time-directives.ts';

const MONTH_NAME =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/;

const WEEKDAY = /\b(?:mon|tue|wed|thu|fri|sat|sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b[.,]?/i;

/** Words that may occur in a date without meaning. */
const FILLERS: ReadonlySet<string> = new Set(['of', 'at', 'on', 'and', 'st', 'nd', 'rd', 'th']);

/** Two-digit years from this one on belong to the last century; fixed, so that every run reads them alike. */
const LAST_CENTURY = 76;

interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Makes a day from the groups of a pattern; a missing group is undefined, one that is no number NaN. */
type Reading = (groups: readonly (number | undefined)[]) => Day;

/** The numeric date formats. */
const FORMS: readonly (readonly [RegExp, Reading])[] = [
  [
    /^([1-9]\d{3})(?:([-/.\\ ])(\d{1,2})(?:\2(\d{1,2}))?)?$/,
    ([year = 0, , month = 1, day = 1]) => ({ year, month, day }),
  ],
  [/^([1-9]\d{3})(\d{2})(\d{2})$/, ([year = 0, month = 0, day = 0]) => ({ year, month, day })],
  [/^(\d{1,2})([-/. ])([1-9]\d{3})$/, ([month = 0, , year = 0]) => ({ year, month, day: 1 })],
  [
    /^(\d{1,2})([-/. ])(\d{1,2})\2([1-9]\d{3}|\d{2})$/,
    ([first = 0, , second = 0, third = 0]) => inOrder(first, second, third),
  ],
  [/^(\d{2})(\d{2})(\d{2})$/, ([first = 0, second = 0, third = 0]) => inOrder(first, second, third)],
  [/^([1-9]\d{3})-?q([1-4])$/i, ([year = 0, quarter = 1]) => ({ year, month: quarter * 3 - 2, day: 1 })],
  [/^([1-4])q-?([1-9]\d{3})$/i, ([quarter = 1, year = 0]) => ({ year, month: quarter * 3 - 2, day: 1 })],
];

/**
 * Reads a numeric date or one with a month name: seconds from 1970 to its midnight in UTC; undefined for other text. A
 * missing month or day is the first; of two possible months the first number wins.
 */
export function parseDate(text: string): number | undefined {
  const trimmed = text.replace(WEEKDAY, ' ').trim().replace(/,$/, '');
  for (const [pattern, read] of FORMS) {
    const parts = pattern.exec(trimmed);
    if (parts) return midnight(read(groupsOf(parts)));
  }
  const named = readNamed(trimmed);
  return named && midnight(named);
}

function groupsOf(parts: RegExpExecArray): (number | undefined)[] {
  return parts.slice(1).map((part: string | undefined) => (part === undefined ? undefined : Number(part)));
}

/** Month, day, year; a first number above 12 is the day, above 31 the year. */
function inOrder(first: number, second: number, third: number): Day {
  if (first > 31) return { year: first, month: second, day: third };
  return first > 12 ? { day: first, month: second, year: third } : { month: first, day: second, year: third };
}

/** Reads a date with a month name anywhere; the year comes last unless the first number can be no day. */
function readNamed(text: string): Day | undefined {
  const words = text.toLowerCase().split(/[\s,./\\-]+/);
  const terms = words.map((word) => word.replace(/^(\d+)(?:st|nd|rd|th)$/, '$1')).filter((word) => !FILLERS.has(word));
  const [name, ...more] = terms.filter((word) => MONTH_NAME.test(word));
  const numbers = terms.filter((word) => /^(?:\d{1,2}|[1-9]\d{3})$/.test(word)).map(Number);
  const [first, second] = numbers;
  if (name === undefined || first === undefined || more.length + numbers.length > 2) return undefined;
  if (terms.filter((word) => word !== '').length !== numbers.length + 1) return undefined;
  const month = 1 + MONTHS.findIndex((full) => full.toLowerCase().startsWith(name.slice(0, 3)));
  if (second === undefined) return first > 31 ? { year: first, month, day: 1 } : undefined;
  return first > 31 ? { year: first, month, day: second } : { year: second, month, day: first };
}

/** Seconds from 1970 to a day; undefined if the day does not exist. */
function midnight({ year, month, day }: Day): number | undefined {
  const full = year >= 100 ? year : year + (year < LAST_CENTURY ? 2000 : 1900);
  const time = new Date(Date.UTC(full, month - 1, day));
  return time.getUTCMonth() === month - 1 && time.getUTCDate() === day ? time.getTime() / 1000 : undefined;
}
