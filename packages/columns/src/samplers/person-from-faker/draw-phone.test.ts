import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { phoneDraw } from './draw-phone.ts';
import { loadNameData } from './name-data.ts';
import type { DataName } from './nearest-data.ts';

const FICTIONAL = /^[2-9]\d\d-555-01\d\d$/;

function numbers(name: DataName): string[] {
  const random = Random.of(1, 'phone');
  const draw = phoneDraw(name, loadNameData(name));
  return Array.from({ length: 2000 }, (_, row) => draw(random.at(row)));
}

test.each([['en_US'], ['en_CA'], ['fr_CA']] as const)('numbers of %s are fictional', (name) => {
  expect(numbers(name).filter((number) => !FICTIONAL.test(number))).toEqual([]);
});

test.each([['ar'], ['fi']] as const)('%s has no form of its own, and fictional numbers', (name) => {
  expect(numbers(name).filter((number) => !FICTIONAL.test(number))).toEqual([]);
});

test.each([
  ['de', /^0\d{4} \d{6,8}$/],
  ['nl', /^0(\d{3} \d{3} \d{3}|6 \d{8})$/],
  ['ru', /^8 \(9\d\d\) \d{3}-\d\d-\d\d$/],
] as const)('numbers of %s are written as in the country', (name, expected) => {
  expect(numbers(name).filter((number) => !expected.test(number))).toEqual([]);
});
