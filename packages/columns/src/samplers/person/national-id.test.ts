import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { drawNationalId } from './national-id.ts';

const random = Random.of(1, 'id');

function numbers(state: string, born: string, rows = 20_000): string[] {
  return Array.from({ length: rows }, (_, row) => drawNationalId(state, new Date(`${born}T00:00:00Z`), random.at(row)));
}

function areas(state: string, born: string): Set<number> {
  return new Set(numbers(state, born).map((number) => Number(number.slice(0, 3))));
}

test('the area belongs to the state for people born before areas were randomized', () => {
  expect(areas('OR', '1980-05-05')).toEqual(new Set([540, 541, 542, 543, 544]));
  expect([...areas('AK', '2011-06-24')]).toEqual([574]);
  expect(Math.max(...areas('NH', '1950-01-01'))).toBe(3);
});

test.each([
  ['AK', '2011-06-25'],
  ['ZZ', '1980-01-01'],
  ['constructor', '1980-01-01'],
])('for %s, born %s, the area is any number from 1 to 899 except 666', (state, born) => {
  const found = areas(state, born);
  expect([found.size, found.has(666), Math.min(...found), Math.max(...found)]).toEqual([898, false, 1, 899]);
});

test('group and serial are never zero', () => {
  const all = numbers('NY', '1970-01-01');
  expect(all.filter((number) => !/^\d{3}-\d\d-\d{4}$/.test(number))).toEqual([]);
  expect(all.filter((number) => number.includes('-00-') || number.endsWith('-0000'))).toEqual([]);
});
