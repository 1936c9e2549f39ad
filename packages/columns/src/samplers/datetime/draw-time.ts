import type { Random } from '@data-designer/core';
import { CivilTime, SECONDS_IN } from './civil-time.ts';
import { parseTime } from './parse-time.ts';

/** What times are cut down to: years, months, days, hours, minutes or seconds. */
export type TimeUnit = keyof typeof SECONDS_IN | 'Y' | 'M';

/**
 * Draws a whole second of [start, end), each as likely, and cuts it down to its unit, which may lie before the start.
 * Gives seconds from 1970 in UTC; the bounds are texts that can be read as times.
 */
export function drawTime(start: string, end: string, unit: TimeUnit): (random: Random) => number {
  const first = parseTime(start) ?? 0;
  const span = (parseTime(end) ?? 0) - first;
  const cut = cutTo(unit);
  return (random) => cut(first + random.below(span));
}

/** Cuts seconds from 1970 down to the beginning of a unit, as a calendar in UTC has it. */
function cutTo(unit: TimeUnit): (seconds: number) => number {
  if (unit === 'Y' || unit === 'M') {
    const time = new CivilTime();
    return unit === 'Y' ? (seconds) => time.at(seconds).yearStart : (seconds) => time.at(seconds).monthStart;
  }
  const length = SECONDS_IN[unit];
  return length === 1 ? (seconds) => seconds : (seconds) => Math.floor(seconds / length) * length;
}
