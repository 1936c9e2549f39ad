import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { drawFictionalPhone } from './fictional-phone.ts';

const random = Random.of(1, 'phone');
const numbers = Array.from({ length: 20_000 }, (_, row) => drawFictionalPhone(random.at(row)));

test('every number is fictional', () => {
  expect(numbers.filter((number) => !/^[2-9]\d\d-555-01\d\d$/.test(number))).toEqual([]);
});

test('area codes cover 200 to 999 except those that end in 11', () => {
  const areas = new Set(numbers.map((number) => number.slice(0, 3)));
  expect(areas.size).toBe(792);
  expect([...areas].filter((area) => area.endsWith('11'))).toEqual([]);
  expect(areas.has('200') && areas.has('999') && areas.has('210') && areas.has('912')).toBe(true);
});

test('line numbers cover 00 to 99', () => {
  expect(new Set(numbers.map((number) => number.slice(-2))).size).toBe(100);
});
