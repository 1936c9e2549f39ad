import type { Random } from '@data-designer/core';
import { REFERENCE_DAY } from '../people.ts';

const DAY_MS = 86_400_000;
const REFERENCE = new Date(`${REFERENCE_DAY}T00:00:00Z`);

/** Draws when somebody was born who is `age` years old on the reference day: midnight UTC, each day as likely as any. */
export function drawBirthDate(age: number, random: Random): Date {
  const latest = yearsBefore(age);
  const days = (latest - yearsBefore(age + 1)) / DAY_MS;
  return new Date(latest - random.below(days) * DAY_MS);
}

/** A date as `2001-12-31`, by UTC; a fifth of what `toISOString` costs. */
export function printDate(date: Date): string {
  return `${date.getUTCFullYear()}-${twoDigits(date.getUTCMonth() + 1)}-${twoDigits(date.getUTCDate())}`;
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : String(number);
}

function yearsBefore(years: number): number {
  return Date.UTC(REFERENCE.getUTCFullYear() - years, REFERENCE.getUTCMonth(), REFERENCE.getUTCDate());
}
