import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { REFERENCE_DAY } from '../person-params.ts';
import { drawBirthDate, printDate } from './birth-date.ts';

/** Whole years between a date and a later day, both as text. */
function ageOn(day: string, born: string): number {
  const years = Number(day.slice(0, 4)) - Number(born.slice(0, 4));
  return day.slice(5) < born.slice(5) ? years - 1 : years;
}

function datesAt(age: number, rows: number): string[] {
  const random = Random.of(1, 'born');
  return Array.from({ length: rows }, (_, row) => printDate(drawBirthDate(age, random.at(row))));
}

test.each([0, 1, 17, 18, 26, 65, 114])('a person of age %i has that age on the reference day', (age) => {
  const ages = new Set(datesAt(age, 2000).map((date) => ageOn(REFERENCE_DAY, date)));
  expect([...ages]).toEqual([age]);
});

test('draws every day of the year, including the leap day', () => {
  expect(new Set(datesAt(30, 5000)).size).toBe(365);
  const leap = new Set(datesAt(25, 5000));
  expect([leap.size, leap.has('2000-02-29')]).toEqual([366, true]);
});

test('a date does not depend on the time zone of the machine', () => {
  expect(printDate(new Date(Date.UTC(2000, 0, 1)))).toBe('2000-01-01');
});
