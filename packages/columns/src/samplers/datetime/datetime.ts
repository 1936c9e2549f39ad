import { z } from 'zod';
import { type Finding, valueType, type Random } from '@data-designer/core';
import { defineSampler, samplerFields } from '../../define-sampler.ts';
import { runFinding } from '../../run-finding.ts';
import { parseClock, parseTime } from './parse-time.ts';
import { CivilTime, SECONDS_IN } from './civil-time.ts';

/** Text that the reference tool accepts although it is no time, or differs between runs. */
const AMBIGUOUS_TIMES: ReadonlySet<string> = new Set(['NaT', 'nat', 'NAT', 'nan', 'NaN', 'NAN', 'now', 'today']);

const time = z.string().refine((text) => isAmbiguous(text) || parseTime(text) !== undefined, {
  error: ({ input }) => `'${String(input)}' is not a date or time; write it as 2024-01-31 or 2024-01-31T12:00:00`,
});

/** Draws times of a range, truncated to whole units. */
export const datetime = defineSampler({
  type: 'datetime',
  schema: z
    .strictObject({
      ...samplerFields('datetime'),
      start: time.describe('The earliest time, such as `2024-01-31` or `2024-01-31T12:00`.'),
      end: time.describe('The upper bound, which is never drawn.'),
      unit: z
        .enum(['Y', 'M', 'D', 'h', 'm', 's'])
        .default('D')
        .describe('The unit to which a drawn time is cut down: year, month, day, hour, minute or second.'),
    })
    .describe(
      'Draws a time from `start` up to, but not including, `end`, in UTC and in whole units. Without `convert_to` it is text such as `2024-01-31T12:30:00`.',
    ),
  value: valueType<string>(),
  example: { start: '2023-01-01', end: '2023-06-01' },
  arrow: () => 'utf8',
  converts: 'time',
  choices: ({ start, end, unit }) => {
    const span = (parseTime(end) ?? NaN) - (parseTime(start) ?? NaN);
    return span > 0 ? Math.floor(span / LEAST_SECONDS_IN[unit]) + 2 : undefined;
  },
  draw: ({ start, end, unit }) => drawTime(start, end, unit),
  check: ({ start, end }) => {
    const [first, last] = [parseTime(start), parseTime(end)];
    if (first !== undefined && last !== undefined) {
      return [
        ...dayOrMonth('start', start),
        ...dayOrMonth('end', end),
        ...(first < last ? [] : [notBefore(start, end)]),
      ];
    }
    return [
      ...(first === undefined ? [noTime('start', start)] : []),
      ...(last === undefined ? [noTime('end', end)] : []),
    ];
  },
});

/** Whether text is no time, a time without a date, or has a zone known only by name. */
function isAmbiguous(text: string): boolean {
  const trimmed = text.trim();
  if (AMBIGUOUS_TIMES.has(trimmed) || parseClock(trimmed)?.rest.trim() === '') return true;
  return parseTime(trimmed.replace(/ [A-Z]{3,5}$/, '')) !== undefined;
}

/** A day whose first two numbers may each be the month; behind it may be a time. */
const DAY_OR_MONTH =
  /^\s*(?:(0?[1-9]|1[0-2])([-/. ])(0?[1-9]|1[0-2])\2(?:\d{4}|\d{2})|(0[1-9]|1[0-2])(0[1-9]|1[0-2])\d{2})\b/;

/** Warns of a date that is read with the month first, and that people of other countries read with the day first. */
function dayOrMonth(field: 'start' | 'end', text: string): readonly Finding[] {
  const [, month, , day, shortMonth = month, shortDay = day] = DAY_OR_MONTH.exec(text) ?? [];
  if (shortMonth === undefined || Number(shortMonth) === Number(shortDay)) return [];
  const read = new Date((parseTime(text) ?? 0) * 1000).toISOString().slice(0, 10);
  const [year = '', first = '', second = ''] = read.split('-');
  return [
    runFinding([field], {
      level: 'WARNING',
      type: 'ambiguous_date',
      message: `'${text}' is read with the month first, as ${read}.`,
      remedy: `Write ${read}, or ${year}-${second}-${first} if the day comes first.`,
    }),
  ];
}

function notBefore(start: string, end: string): Finding {
  const message = `the end '${end}' must be at least one second after the start '${start}'.`;
  return runFinding(['end'], { message, remedy: 'Use a later end.' });
}

function noTime(field: 'start' | 'end', text: string): Finding {
  return runFinding([field], {
    message: `'${text}' is not an unambiguous time.`,
    remedy: 'Write it as 2024-01-31 or 2024-01-31T12:00:00+01:00.',
  });
}

/** The units to which times are truncated. */
type TimeUnit = keyof typeof SECONDS_IN | 'Y' | 'M';

/** The length of the shortest year and month. */
const LEAST_SECONDS_IN = { ...SECONDS_IN, Y: 365 * SECONDS_IN.D, M: 28 * SECONDS_IN.D } as const;

/** Draws seconds since 1970 in [start, end) and truncates them, which may precede the start. */
function drawTime(start: string, end: string, unit: TimeUnit): (random: Random) => number {
  const first = parseTime(start) ?? 0;
  const span = (parseTime(end) ?? 0) - first;
  const cut = cutTo(unit);
  return (random) => cut(first + random.below(span));
}

/** Truncates seconds since 1970 to the start of a UTC unit. */
function cutTo(unit: TimeUnit): (seconds: number) => number {
  if (unit === 'Y' || unit === 'M') {
    const civil = new CivilTime();
    return unit === 'Y' ? (seconds) => civil.at(seconds).yearStart : (seconds) => civil.at(seconds).monthStart;
  }
  const length = SECONDS_IN[unit];
  return length === 1 ? (seconds) => seconds : (seconds) => Math.floor(seconds / length) * length;
}
