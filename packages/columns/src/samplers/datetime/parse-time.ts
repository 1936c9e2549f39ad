import { parseClock } from './parse-clock.ts';
import { parseDate } from './parse-date.ts';

/** As far from 1970 as nanoseconds in 64 bits reach: from 1677 to 2262. */
const FURTHEST = 9_223_372_036;

/**
 * Reads a time as the reference tool does: ISO dates and times, month names, and numbers with the month first. Gives
 * whole seconds from 1970 in UTC, in which a time without a zone is taken to be; undefined where it is no time.
 */
export function parseTime(text: string): number | undefined {
  const clock = parseClock(text.trim());
  const midnight = clock && parseDate(clock.rest);
  if (clock === undefined || midnight === undefined) return undefined;
  const seconds = midnight + clock.seconds;
  return Math.abs(seconds) <= FURTHEST ? seconds : undefined;
}
