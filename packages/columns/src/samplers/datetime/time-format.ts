import { parseTime } from './parse-time.ts';
import { printTime, unknownDirective } from './print-time.ts';

/** Midnight of Friday, 21 December 2012, in seconds since 1970. */
const PROBE = 1_356_048_000;

/** The reference tool also reads back a time of day without a date. */
const CLOCK = /^\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AP]M)?$/i;

/** Describes why text is no valid time format: as in NeMo Data Designer, printed times must be readable again. */
export function mistakeInTimeFormat(format: string): string | undefined {
  const unknown = unknownDirective(format);
  if (unknown !== undefined) return `there is no directive ${unknown}`;
  const printed = printTime(format)(PROBE);
  if (parseTime(printed) !== undefined || CLOCK.test(printed)) return undefined;
  return `its output, for example '${printed}', cannot be read back as a time`;
}
