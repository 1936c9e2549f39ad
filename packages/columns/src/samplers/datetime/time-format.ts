import { parseTime } from './parse-time.ts';
import { printTime, unknownDirective } from './print-time.ts';

/** Midnight of Friday, the 21st of December 2012, in seconds from 1970. */
const PROBE = 1_356_048_000;

/** A time of day alone, which is read back too. */
const CLOCK = /^\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AP]M)?$/i;

/**
 * Why a text cannot be the format of a column of times, in words that follow its name; undefined where it can: what it
 * prints must be readable again (as in NeMo Data Designer).
 */
export function mistakeInTimeFormat(format: string): string | undefined {
  const unknown = unknownDirective(format);
  if (unknown !== undefined) return `there is no directive ${unknown}`;
  const printed = printTime(format)(PROBE);
  if (parseTime(printed) !== undefined || CLOCK.test(printed)) return undefined;
  return `what it prints, as '${printed}', cannot be read as a time`;
}
