import type { Random } from '@data-designer/core';
import { printTime } from '../datetime/print-time.ts';
import { REFERENCE_DAY } from '../person-params.ts';

const DAY_MS = 86_400_000;
const REFERENCE = new Date(`${REFERENCE_DAY}T00:00:00Z`);

/** Draws the birth date of a person aged `age` on the reference day: midnight UTC, all days equally likely. */
export function drawBirthDate(age: number, random: Random): Date {
  const latest = yearsBefore(age);
  const days = (latest - yearsBefore(age + 1)) / DAY_MS;
  return new Date(latest - random.below(days) * DAY_MS);
}

const printDay = printTime('%Y-%m-%d');

/** Prints a UTC date as `2001-12-31`. */
export function printDate(date: Date): string {
  return printDay(date.getTime() / 1000);
}

function yearsBefore(years: number): number {
  return Date.UTC(REFERENCE.getUTCFullYear() - years, REFERENCE.getUTCMonth(), REFERENCE.getUTCDate());
}
