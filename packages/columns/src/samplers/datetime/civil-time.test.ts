import { expect, test } from 'vitest';
import { CivilTime } from './civil-time.ts';

/** The fields of a time, computed with Date. */
function dated(seconds: number): Omit<CivilTime, 'at'> {
  const date = new Date(seconds * 1000);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const start = (monthOfIt: number, dayOfIt: number): number =>
    new Date(0).setUTCFullYear(year, monthOfIt, dayOfIt) / 1000;
  return {
    seconds,
    year,
    month: month + 1,
    day,
    yearDay: (start(month, day) - start(0, 1)) / 86_400,
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    midnight: start(month, day),
    monthStart: start(month, 1),
    yearStart: start(0, 1),
  };
}

function read(time: CivilTime): Omit<CivilTime, 'at'> {
  const { seconds, year, month, day, yearDay, weekday, hour, minute, second } = time;
  const { midnight, monthStart, yearStart } = time;
  return { seconds, year, month, day, yearDay, weekday, hour, minute, second, midnight, monthStart, yearStart };
}

test.each([
  ['the first second', -62_135_596_800],
  ['the last second', 253_402_300_799],
  ['the second before 1970', -1],
  ['1970', 0],
  ['a leap day of a fourth century', Date.UTC(2000, 1, 29, 13, 5, 9) / 1000],
  ['the day after the February of another', Date.UTC(1900, 2, 1) / 1000],
  ['the last day of a leap year', Date.UTC(2024, 11, 31, 23, 59, 59) / 1000],
])('reads %s as Date does', (_, seconds) => {
  expect(read(new CivilTime().at(seconds))).toEqual(dated(seconds));
});

test('reads successive times across the years 1 to 9999 as Date does', () => {
  const time = new CivilTime();
  const seconds = Array.from({ length: 5000 }, (_, at) => -62_135_596_800 + at * 63_107_567);
  expect(seconds.map((one) => read(time.at(one)))).toEqual(seconds.map(dated));
});
